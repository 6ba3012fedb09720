// Example rows of a law, taken from the few rows that came with the page.

const MOST_EXAMPLES = 5;

/** A table of rows that show a law at work, or null. */
function exampleRows(law) {
  const rows = report.sample ? rowsShowing(law) : [];
  if (!rows.length) return null;
  const columns = columnsShown(law);
  const heads = ["row", ...columns.map((column) => report.columns[column].name)];
  const lines = rows.map((row) =>
    element(
      "tr",
      {},
      cell(plain.format(report.sample.numbers[row]), { class: "number" }),
      ...columns.map((column) => cell(valueShown(valueOf(column, row)))),
    ),
  );
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": "Example rows" },
    element("table", { class: "plain" }, ...table(heads, lines)),
  );
}

/** The columns on which rows agree first, then what follows. */
function columnsShown(law) {
  const { same, left, right } = shapeOf(law);
  const first = [...same, left, right].filter((place) => place !== null).map((place) => columnAt(law, place));
  return [...new Set([...first, ...columnsOf(law)])];
}

function valueOf(column, row) {
  return report.sample.values[column][report.sample.codes[column][row]];
}

/** Rows of the two largest groups in which a law says something; in the order of its left side. */
function rowsShowing(law) {
  const { same, left, kind } = shapeOf(law);
  const columns = same.map((place) => columnAt(law, place));
  const all = [...report.sample.numbers.keys()];
  if (kind === "key" || (!columns.length && left === null)) return all.slice(0, 3);
  const groups = grouped(all, columns)
    .filter((rows) => rows.length > 1)
    .sort((a, b) => b.length - a.length);
  if (left !== null) return spread(inOrder(groups[0] ?? [], columnAt(law, left)), MOST_EXAMPLES);
  return groups.slice(0, 2).flatMap((rows) => spread(rows, 3));
}

/** Rows in groups that agree on some columns; NULLs may equal nothing. */
function grouped(rows, columns) {
  const groups = new Map();
  for (const row of rows) {
    if (!report.sample.nulls_equal && columns.some((column) => valueOf(column, row) === null)) continue;
    const values = columns.map((column) => report.sample.codes[column][row]).join();
    groups.set(values, [...(groups.get(values) ?? []), row]);
  }
  return [...groups.values()];
}

function inOrder(rows, column) {
  const codes = report.sample.codes[column];
  return [...rows].sort((first, second) => codes[first] - codes[second]);
}

/** Some of many, from the first to the last. */
function spread(rows, most) {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, step) => rows[Math.round((step * (rows.length - 1)) / (most - 1))]);
}
