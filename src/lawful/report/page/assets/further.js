// Suspect cells, and the history of a state.

const FIRST_CELLS = 20;

function showSuspects() {
  const { count, cells } = report.suspects;
  byId("suspects").hidden = false;
  byId("suspects-said").textContent = count
    ? `${number(count, "cell")} that the laws of most rows speak against, the most bits first.`
    : "No cell is against the laws that most rows obey.";
  if (!count) return;
  const lines = cells.map(suspectLine);
  byId("cells").append(
    ...table(["row", "column", "value", "expected", "bits", "laws against"], lines.slice(0, FIRST_CELLS)),
  );
  if (lines.length <= FIRST_CELLS) return;
  const more = button(`Show ${number(lines.length - FIRST_CELLS, "more cell")}`, () => {
    byId("cells").lastElementChild.append(...lines.slice(FIRST_CELLS));
    more.remove();
  });
  byId("more-cells").append(more);
}

function suspectLine({ row, column, value, expected, bits, laws, more }) {
  const against = cell(element("code", {}, laws), { class: "against" });
  if (more) against.append(` and ${plain.format(more)} more`);
  return element(
    "tr",
    {},
    cell(plain.format(row), { class: "number" }),
    cell(column),
    cell(valueShown(value), { class: "wrong" }),
    cell(valueShown(expected)),
    cell(plain.format(Math.floor(bits)), { class: "number" }),
    against,
  );
}

function showHistory() {
  const entries = report.history;
  byId("history").hidden = false;
  if (!entries.length) {
    byId("curves").append(element("p", { class: "quiet" }, "Nothing has changed yet."));
    byId("changes").parentElement.remove();
    return;
  }
  byId("curves").append(
    curve(
      "rows",
      entries.map(({ rows }) => rows),
    ),
    curve(
      "laws",
      entries.map(({ counts }) => summed(counts)),
    ),
  );
  const heads = ["version", "when", "what", "rows", "in", "out", "laws", "gone", "new"];
  byId("changes").append(...table(heads, [...entries].reverse().map(changeLine)));
  showBroken(entries);
}

function summed(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function changeLine(entry) {
  const what = entry.batch === null ? entry.what : `${entry.what} ${entry.batch}`;
  const numbers = [
    entry.rows,
    entry.inserted,
    entry.deleted,
    summed(entry.counts),
    summed(entry.removed),
    summed(entry.added),
  ];
  return element(
    "tr",
    {},
    cell(String(entry.version), { class: "number" }),
    cell(entry.at.slice(0, 16).replace("T", " ")),
    cell(what),
    ...numbers.map((one) => cell(plain.format(one), { class: "number" })),
  );
}

/** How a number went from change to change. */
function curve(name, numbers) {
  const most = Math.max(...numbers, 1);
  const step = 300 / Math.max(numbers.length - 1, 1);
  const points = numbers.map(
    (one, place) => `${(place * step).toFixed(1)},${(58 - (54 * one) / most).toFixed(1)}`,
  );
  const drawing = shape(
    "svg",
    {
      viewBox: "0 0 300 60",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${name}, change by change`,
    },
    shape("polyline", {
      points: points.length > 1 ? points.join(" ") : `${points[0]} 300,${points[0].split(",")[1]}`,
    }),
  );
  const ends = `${name}: ${plain.format(numbers[0])} to ${plain.format(numbers.at(-1))}`;
  return element("figure", {}, drawing, element("figcaption", {}, ends));
}

/** The laws that held longest and broke. */
function showBroken(entries) {
  const broken = entries.flatMap((entry) =>
    entry.broken.filter(({ rows }) => rows !== null).map((one) => ({ ...one, until: entry.version })),
  );
  if (!broken.length) return;
  broken.sort((first, second) => second.until - second.since - (first.until - first.since));
  const items = broken
    .slice(0, FIRST_CELLS)
    .map(({ law, rows, since, until }) =>
      element(
        "li",
        {},
        element("code", {}, law),
        element(
          "span",
          { class: "quiet" },
          ` held from version ${since} to ${until - 1}, broken by rows ${rows.map((row) => plain.format(row)).join(" and ")}`,
        ),
      ),
    );
  byId("broken").append(element("h3", {}, "Laws that held longest and broke"), element("ul", {}, ...items));
}
