// The columns: cards with small histograms.

const FIRST_COLUMNS = 36;

function showColumns() {
  const cards = report.columns.map(columnCard);
  byId("cards").append(...cards.slice(0, FIRST_COLUMNS));
  byId("notes").append(...report.notes.map((note) => element("li", {}, note)));
  byId("notes").hidden = !report.notes.length;
  if (cards.length <= FIRST_COLUMNS) return;
  const more = button(`Show all ${number(cards.length, "column")}`, () => {
    byId("cards").append(...cards.slice(FIRST_COLUMNS));
    more.remove();
  });
  byId("more-columns").append(more);
}

function columnCard(column, place) {
  const name = button("", () => showLawsAbout([place]), {
    class: "name",
    title: "Show the laws about this column",
  });
  name.append(...breakable(column.name || "(no name)"));
  return element(
    "li",
    {},
    element("h3", {}, name),
    element("p", { class: "type" }, ...badges(column, place)),
    ...(column.bars ? histogram(column) : []),
    element("p", { class: "quiet" }, holdings(column)),
  );
}

/** Words beside the name of a column: its type, and what it is among the others. */
function badges(column, place) {
  const words = column.type ? [element("span", {}, column.type)] : [];
  if (singleKeys.has(place)) words.push(element("span", { class: "badge key" }, "key"));
  if (column.constant) words.push(element("span", { class: "badge" }, "constant"));
  const group = report.equivalents.find((names) => names.includes(column.name));
  if (group)
    words.push(
      element("span", { class: "badge" }, `= ${group.filter((name) => name !== column.name).join(", ")}`),
    );
  return words;
}

function holdings(column) {
  const distinct = column.distinct === undefined ? [] : [`${plain.format(column.distinct)} distinct`];
  const nulls = column.nulls
    ? [`${number(column.nulls, "NULL")}${report.rows ? ` (${percent(column.nulls / report.rows)})` : ""}`]
    : [];
  return [...distinct, ...nulls].join(", ");
}

/** Bars for the values of a column, and beneath them what they stand for. */
function histogram(column) {
  const { heights, values } = column.bars;
  if (column.bars.others !== undefined && Math.max(...heights) === 1)
    return [caption(["no value is repeated"])];
  const most = Math.max(...heights, 1);
  const step = 120 / heights.length;
  const bars = heights.map((height, place) =>
    bar(place * step, step, height / most, barTitle(column, place)),
  );
  const drawing = shape(
    "svg",
    {
      viewBox: "0 0 120 36",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `Histogram of ${column.name}`,
    },
    ...bars,
  );
  return [
    drawing,
    caption(
      values && column.bars.others !== undefined
        ? [topValue(column)]
        : [ends(column.bars, 0), ends(column.bars, 1)],
    ),
  ];
}

function bar(left, width, share, title) {
  const height = share ? Math.max(1, 35 * share) : 0;
  return shape(
    "rect",
    { x: left + 0.5, y: 36 - height, width: Math.max(width - 1, 0.5), height },
    shape("title", {}, title),
  );
}

function barTitle(column, place) {
  const { values, heights } = column.bars;
  return `${values ? `${values[place]}: ` : ""}${number(heights[place], "row")}`;
}

/** The smallest or the largest value. */
function ends({ values, from, to }, last) {
  return values ? values[last ? values.length - 1 : 0] : last ? to : from;
}

function topValue({ bars: { values, heights } }) {
  return `most often ${values[0] || "empty"} (${percent(heights[0] / report.rows)})`;
}

function caption(parts) {
  const shown = parts.length === 2 && parts[0] === parts[1] ? parts.slice(1) : parts;
  return element("p", { class: "ends" }, ...shown.map((part) => element("span", {}, part || "empty")));
}
