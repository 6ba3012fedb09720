// What is shown first, and in which order.

function showTiles() {
  const tiles = [["rows", report.rows], ["columns", report.columns.length]].filter(([, count]) => count !== null && count !== undefined);
  const items = tiles.map(([name, count]) => element("li", {}, element("b", {}, plain.format(count)), count === 1 ? name.slice(0, -1) : name));
  const kinds = Object.entries(report.counts).map(([kind, count]) => {
    const press = () => { showLawsAbout([], kind); };
    return element("li", {}, button("", press, { class: `tile ${kind}` }));
  });
  kinds.forEach((item, place) => {
    const [kind, count] = Object.entries(report.counts)[place];
    item.firstChild.append(element("b", {}, plain.format(count)), count === 1 ? KINDS[kind].one : KINDS[kind].many);
  });
  byId("tiles").append(...items, ...kinds);
}

function showWords() {
  byId("said").append(...report.said.map((line) => element("li", {}, line)));
  byId("said").hidden = !report.said.length;
  byId("remarks").append(...report.remarks.flatMap((line) => [line, element("br")]));
  byId("footer").append(`Made by lawful ${report.version} on ${report.made}. This page is one file; it loads nothing from anywhere.`);
}

function showContents() {
  const sections = [...document.querySelectorAll("main > section:not([hidden])")];
  byId("contents").append(...sections.map((one) => element("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));
}

showTiles();
showWords();
showPicture();
showLaws();
showColumns();
if (report.suspects) showSuspects();
if (report.history) showHistory();
showContents();
