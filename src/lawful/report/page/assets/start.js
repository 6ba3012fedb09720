// What is shown first, and in which order.

function showTiles() {
  const { rows, columns, counts } = report;
  const sizes = [number(columns.length, "column")];
  if (typeof rows === "number") sizes.unshift(number(rows, "row"));
  const kinds = Object.entries(counts).map(([kind, count]) => {
    const tile = button("", () => showLawsAbout([], kind), { class: `tile ${kind}` });
    tile.append(...counted(number(count, KINDS[kind].one, KINDS[kind].many)));
    return element("li", {}, tile);
  });
  byId("tiles").append(...sizes.map((text) => element("li", {}, ...counted(text))), ...kinds);
}

/** A number of something, the number in an element of its own. */
function counted(text) {
  const [count, ...words] = text.split(" ");
  return [element("b", {}, count), words.join(" ")];
}

function showWords() {
  byId("said").append(...report.said.map((line) => element("li", {}, line)));
  byId("said").hidden = !report.said.length;
  byId("remarks").append(...report.remarks.flatMap((line) => [line, element("br")]));
  byId("footer").append(
    `Made by lawful ${report.version} on ${report.made}. This page is one file; it loads nothing from anywhere.`,
  );
}

/** How to read those kinds of law that were looked for. */
function showReading() {
  for (const one of document.querySelectorAll(".reading [data-of]"))
    one.hidden = !(one.dataset.of in report.counts);
}

function showContents() {
  const sections = [...document.querySelectorAll("main > section:not([hidden])")];
  byId("contents").append(
    ...sections.map((one) => element("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)),
  );
}

showTiles();
showWords();
showPicture();
showLaws();
showColumns();
if (report.suspects) showSuspects();
if (report.history) showHistory();
showReading();
showContents();
