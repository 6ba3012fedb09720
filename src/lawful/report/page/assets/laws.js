// The laws as a table, a page of it at a time.

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

function refresh() {
  found = lawsWanted();
  writeFilters();
  showChosen();
  showLines(0, PAGE);
}

function showHeads() {
  const heads = {
    law: "text",
    kind: null,
    bits: "bits",
    ...(SCORED ? { score: "score" } : {}),
    ...(report.failing ? { error: "error" } : {}),
  };
  byId("heads").append(
    ...Object.entries(heads).map(([name, order]) =>
      element(
        "th",
        { scope: "col", class: name, "data-order": order },
        order ? button(name, () => want({ order }), { title: `Sort by ${name}` }) : name,
      ),
    ),
  );
}

function showLines(first, count) {
  const lines = found.slice(first, first + count).map(lawLine);
  const none = total ? "No law is like this: take a filter back." : "No laws were found.";
  if (!lines.length) lines.push(element("tr", {}, cell(none, { colspan: 5 })));
  byId("lines").replaceChildren(...lines);
  showPages();
}

function lawLine(law) {
  const { kind, sentence } = shapeOf(law);
  const open = button("", () => toggle(law, line, open), { class: "open", "aria-expanded": "false" });
  open.append(
    element("code", {}, ...markedText(law)),
    element("span", { class: "sentence" }, filled(law, sentence) + exceptions(law)),
  );
  const line = element(
    "tr",
    {},
    cell(open),
    cell(element("span", { class: `tag ${kind}`, title: KINDS[kind].one }, kind.toUpperCase()), {
      class: "kind",
    }),
    cell(bitsShown(law), { class: "bits number" }),
    ...(SCORED ? [cell(scoreShown(law), { class: "score number" })] : []),
    ...(report.failing ? [cell(errorShown(law), { class: "error number" })] : []),
  );
  return line;
}

function exceptions(law) {
  return failing[law] ? `, but for ${percent(failing[law].share)} of the rows` : "";
}

function bitsShown(law) {
  return isFact(law) ? "fact" : bits[law] === null ? "–" : plain.format(Math.floor(bits[law]));
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
  else
    line.after(
      element("tr", { class: "detail" }, element("td", { colspan: line.children.length }, ...details(law))),
    );
}

function showPages() {
  const pages = Math.ceil(found.length / PAGE);
  const turn = (page) => () => {
    wanted.page = page;
    showLines(page * PAGE, PAGE);
    goToLaws();
  };
  const last = Math.min((wanted.page + 1) * PAGE, found.length);
  const range = [wanted.page * PAGE + 1, "to", last, "of", found.length];
  const parts = [
    button("Previous", turn(wanted.page - 1), { disabled: wanted.page === 0 }),
    element("span", {}, range.map((one) => (one > 0 ? plain.format(one) : one)).join(" ")),
    button("Next", turn(wanted.page + 1), { disabled: wanted.page + 1 >= pages }),
  ];
  byId("pages").replaceChildren(...(pages > 1 ? parts : []));
}
