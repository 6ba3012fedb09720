// The laws: filters, the table, a page of it at a time.

const PAGE = 50;
const PRINTED = 200;
const SCORED = score.some((one) => one !== null);
let found = [];

function showLaws() {
  fillFilters();
  showHeads();
  refresh();
  addEventListener("beforeprint", () => showLines(0, PRINTED));
  addEventListener("afterprint", () => showLines(wanted.page * PAGE, PAGE));
}

function fillFilters() {
  const any = new Option("any", "");
  byId("column").append(any, ...report.columns.map((column, place) => new Option(column.name, place)));
  const largest = shapes.reduce((most, { size }) => Math.max(most, size), 1);
  byId("size").append(new Option("any", ""), ...Array.from({ length: largest }, (_, size) => new Option(size + 1, size + 1)));
  const known = { error: report.failing, score: SCORED };
  const orders = Object.entries(ORDERS).filter(([name]) => name in known ? known[name] : true);
  byId("order").append(...orders.map(([name, order]) => new Option(order.name, name)));
  byId("filters").addEventListener("input", () => want(readFilters()));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("kinds").append(...kindButtons());
}

function readFilters() {
  const column = byId("column").value;
  const others = wanted.columns.slice(1).filter((one) => String(one) !== column);
  return {
    words: byId("words").value,
    columns: column === "" ? [] : [Number(column), ...others],
    size: Number(byId("size").value),
    bits: Number(byId("bits").value),
    order: byId("order").value,
  };
}

function kindButtons() {
  const kinds = Object.entries(report.counts).filter(([, count]) => count);
  return [["", total], ...kinds].map(([kind, count]) => {
    const text = kind ? KINDS[kind].many : "all laws";
    return button(`${text} ${plain.format(count)}`, () => want({ kind }), { class: `kind ${kind}`, "data-kind": kind });
  });
}

/** Want something else of the laws, and show those. */
function want(change) {
  Object.assign(wanted, change, { page: 0 });
  refresh();
}

function showLawsAbout(columns, kind = "") {
  want({ columns, kind, words: "", size: 0, bits: 0 });
  goToLaws();
}

/** Bring the first laws into sight, and the keyboard to them. */
function goToLaws() {
  byId("laws-title").focus({ preventScroll: true });
  byId("kinds").scrollIntoView();
}

function refresh() {
  found = lawsWanted();
  writeFilters();
  showChosen();
  showLines(0, PAGE);
}

/** Let the form say what is wanted, wherever that was said. */
function writeFilters() {
  const values = { words: wanted.words, column: wanted.columns[0] ?? "", size: wanted.size || "", bits: wanted.bits || "", order: wanted.order };
  for (const [id, value] of Object.entries(values)) if (byId(id).value !== String(value)) byId(id).value = value;
  for (const one of byId("heads").children) {
    const sorted = one.dataset.order && one.dataset.order === wanted.order;
    if (sorted) one.setAttribute("aria-sort", wanted.order === "text" ? "ascending" : "descending");
    else one.removeAttribute("aria-sort");
  }
  for (const one of byId("kinds").children) one.setAttribute("aria-pressed", one.dataset.kind === wanted.kind);
}

/** How many laws there are, and what can be taken back. */
function showChosen() {
  byId("found").textContent = found.length === total ? number(total, "law") : `${plain.format(found.length)} of ${number(total, "law")}`;
  const about = wanted.columns.map((column) => button(`about ${report.columns[column].name} ×`, () =>
    want({ columns: wanted.columns.filter((one) => one !== column) }), { "aria-label": `No longer only about ${report.columns[column].name}` }));
  const filtered = wanted.words || wanted.kind || wanted.columns.length || wanted.size || wanted.bits;
  const all = filtered ? [button("clear all filters", () => want({ words: "", kind: "", columns: [], size: 0, bits: 0 }))] : [];
  byId("chosen").replaceChildren(...about, ...all);
}

function showHeads() {
  const heads = { law: "text", kind: null, bits: "bits", ...(SCORED ? { score: "score" } : {}), ...(report.failing ? { error: "error" } : {}) };
  byId("heads").append(...Object.entries(heads).map(([name, order]) =>
    element("th", { scope: "col", class: name, "data-order": order }, order ? button(name, () => want({ order }), { title: `Sort by ${name}` }) : name)));
}

function showLines(first, count) {
  const lines = found.slice(first, first + count).map(lawLine);
  byId("lines").replaceChildren(...(lines.length ? lines : [element("tr", {}, cell(total ? "No law is like this: take a filter back." : "No laws were found.", { colspan: 5 }))]));
  showPages();
}

function lawLine(law) {
  const { kind, sentence } = shapeOf(law);
  const open = button("", () => toggle(law, line, open), { class: "open", "aria-expanded": "false" });
  open.append(element("code", {}, ...markedText(law)), element("span", { class: "sentence" }, filled(law, sentence) + exceptions(law)));
  const line = element("tr", {}, cell(open), cell(element("span", { class: `tag ${kind}`, title: KINDS[kind].one }, kind.toUpperCase()), { class: "kind" }),
    cell(bitsShown(law), { class: "bits number" }), ...(SCORED ? [cell(scoreShown(law), { class: "score number" })] : []),
    ...(report.failing ? [cell(errorShown(law), { class: "error number" })] : []));
  return line;
}

function exceptions(law) {
  return failing[law] ? `, but for ${percent(failing[law].share)} of the rows` : "";
}

function bitsShown(law) {
  return shapeOf(law).fact ? "fact" : bits[law] === null ? "–" : plain.format(Math.floor(bits[law]));
}

function scoreShown(law) {
  return score[law] === null ? "–" : String(score[law]);
}

function errorShown(law) {
  return failing[law] ? percent(failing[law].share) : "0";
}

/** Open what there is to say of a law beneath it, or close it. */
function toggle(law, line, open) {
  const opened = open.getAttribute("aria-expanded") === "true";
  open.setAttribute("aria-expanded", String(!opened));
  if (opened) line.nextElementSibling.remove();
  else line.after(element("tr", { class: "detail" }, element("td", { colspan: line.children.length }, ...details(law))));
}

function details(law) {
  const { states } = shapeOf(law);
  const told = failing[law]?.told ?? [];
  const lines = [
    ...(states ? [element("p", {}, "The same as ", element("code", {}, filled(law, states)))] : []),
    element("p", {}, bitsTold(law)), ...(SCORED ? [element("p", {}, scoreTold(law))] : []), element("p", {}, errorTold(law)),
  ];
  if (told.length) return [...lines, element("pre", {}, told.join("\n"))];
  const rows = failing[law] ? null : exampleRows(law);
  return rows ? [...lines, element("p", {}, "Rows that show it:"), rows] : lines;
}

function bitsTold(law) {
  if (shapeOf(law).fact) return "A fact: it needs no bits.";
  if (bits[law] === null) return "Its bits were not computed.";
  const chance = Math.floor(bits[law]);
  if (failing[law]) return `${number(chance, "bit")} are saved by writing the table down with it, its exceptions apart.`;
  if (chance < 1) return "0 bits: such a law is likely chance.";
  const odds = chance <= 30 ? plain.format(2 ** chance) : `2^${chance}`;
  return `${number(chance, "bit")}: chance makes such a law in one of ${odds} searches.`;
}

function scoreTold(law) {
  const { kind, same } = shapeOf(law);
  if (score[law] === null) return "Its score was not computed.";
  if (kind === "key") return "Score 0: no two rows agree on a key.";
  if (kind === "dc" || kind === "pod") return `Score ${score[law]}: the mean of how short the law is and how many pairs of rows come near to it.`;
  if (!same.length) return "Score 1: it speaks of all pairs of rows.";
  const names = same.map((place) => report.columns[columnAt(law, place)].name).join(", ");
  return `Score ${score[law]}: ${percent(score[law])} of the pairs of rows agree on ${names}.`;
}

function errorTold(law) {
  const error = failing[law];
  const rows = report.rows === null ? "all rows" : number(report.rows, "row");
  if (!error) return report.sample ? `No exception among ${rows}.` : `No exception among ${rows} when the law was found.`;
  return `It fails: ${number(error.pairs, "pair")} of rows break it; without ${number(error.removals, "row")} (${percent(error.share)}) it holds.`;
}

function showPages() {
  const pages = Math.ceil(found.length / PAGE);
  const turn = (page) => () => { wanted.page = page; showLines(page * PAGE, PAGE); goToLaws(); };
  const range = `${plain.format(wanted.page * PAGE + 1)} to ${plain.format(Math.min((wanted.page + 1) * PAGE, found.length))} of ${plain.format(found.length)}`;
  const parts = [
    button("Previous", turn(wanted.page - 1), { disabled: wanted.page === 0 }), element("span", {}, range),
    button("Next", turn(wanted.page + 1), { disabled: wanted.page + 1 >= pages }),
  ];
  byId("pages").replaceChildren(...(pages > 1 ? parts : []));
}
