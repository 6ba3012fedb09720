// What is wanted of the laws: the form, the kinds, what can be taken back.

function fillFilters() {
  const any = new Option("any", "");
  byId("column").append(any, ...report.columns.map((column, place) => new Option(column.name, place)));
  const largest = shapes.reduce((most, { size }) => Math.max(most, size), 1);
  byId("size").append(
    new Option("any", ""),
    ...Array.from({ length: largest }, (_, size) => new Option(size + 1, size + 1)),
  );
  const known = { error: report.failing, score: SCORED };
  const orders = Object.entries(ORDERS).filter(([name]) => (name in known ? known[name] : true));
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
    return button(`${text} ${plain.format(count)}`, () => want({ kind }), {
      class: `kind ${kind}`,
      "data-kind": kind,
    });
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

/** Let the form say what is wanted, wherever that was said; not where somebody is typing. */
function writeFilters() {
  const values = {
    words: wanted.words,
    column: wanted.columns[0] ?? "",
    size: wanted.size || "",
    bits: wanted.bits || "",
    order: wanted.order,
  };
  for (const [id, value] of Object.entries(values))
    if (byId(id) !== document.activeElement) byId(id).value = value;
  for (const one of byId("heads").children) {
    const sorted = one.dataset.order && one.dataset.order === wanted.order;
    if (sorted) one.setAttribute("aria-sort", wanted.order === "text" ? "ascending" : "descending");
    else one.removeAttribute("aria-sort");
  }
  for (const one of byId("kinds").children)
    one.setAttribute("aria-pressed", one.dataset.kind === wanted.kind);
}

/** How many laws there are, and what can be taken back. */
function showChosen() {
  byId("found").textContent =
    found.length === total
      ? number(total, "law")
      : `${plain.format(found.length)} of ${number(total, "law")}`;
  const about = wanted.columns.map((column) => {
    const text = element("span", {}, `about ${report.columns[column].name} `);
    text.append(element("span", { "aria-hidden": "true" }, "×"));
    const others = wanted.columns.filter((one) => one !== column);
    return button(text, () => want({ columns: others }), { title: "Show laws about other columns too" });
  });
  const filtered = wanted.words || wanted.kind || wanted.columns.length || wanted.size || wanted.bits;
  const all = filtered
    ? [button("clear all filters", () => want({ words: "", kind: "", columns: [], size: 0, bits: 0 }))]
    : [];
  byId("chosen").replaceChildren(...about, ...all);
}
