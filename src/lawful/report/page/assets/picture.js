// The picture: columns beneath each other, arcs to the right for what they determine, to the left for order.

const LINE = 30; // pixels from a column to the next
const MOST_EQUIVALENT = 50; // links of equivalent columns
const SOME_LINKS = [25, 50, 100, 200];
const LEGEND = {
  [DETERMINES]: "determines: equal values there mean equal values here",
  [RISES]: "rises with",
  [FALLS]: "falls as the other rises",
  [SAME]: "equivalent: each determines the other",
};

function showPicture() {
  const links = linksOfLaws();
  if (!links.length) return;
  byId("picture").hidden = false;
  const equivalent = links.filter(({ type }) => type === SAME).slice(0, MOST_EQUIVALENT);
  const others = links.filter(({ type }) => type !== SAME);
  offerAmounts(others.length);
  const draw = () => drawPicture([...equivalent, ...others.slice(0, Number(byId("links").value))]);
  byId("links").addEventListener("change", draw);
  draw();
  whenWidthChanges(byId("drawing"), draw);
}

/** Let people choose how many of so many links they see. */
function offerAmounts(count) {
  const amounts = SOME_LINKS.filter((_, place) => !place || SOME_LINKS[place - 1] < count);
  const text = (some) => (some < count ? `the strongest ${some} of ${count}` : `all ${count}`);
  byId("links").append(...amounts.map((some) => new Option(text(some), some)));
  byId("links").parentElement.hidden = amounts.length < 2;
}

function whenWidthChanges(node, act) {
  let width = node.clientWidth;
  new ResizeObserver(() => {
    if (node.clientWidth === width) return;
    width = node.clientWidth;
    act();
  }).observe(node);
}

function drawPicture(links) {
  const width = Math.max(byId("drawing").clientWidth, 280);
  const columns = inLine(links);
  const place = new Map(columns.map((column, line) => [column, LINE * line + LINE / 2 + 4]));
  const longest = Math.max(...links.map(({ from, to }) => Math.abs(place.get(from) - place.get(to))));
  const frame = { ...frameOf(width, links, columns), longest };
  const height = LINE * columns.length + 8;
  const drawing = shape(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "group",
      "aria-label": "Columns and the laws that link them",
    },
    arrowhead(),
    ...links.map((link) => arc(link, place, frame, links)),
    ...columns.map((column) => label(column, place.get(column), frame)),
  );
  byId("drawing").replaceChildren(drawing);
  byId("legend").replaceChildren(...legend(links));
  byId("picture-said").textContent = "Choose a column or an arc to see its laws.";
}

/** Where labels stand, and what room is left for arcs on both sides. */
function frameOf(width, links, columns) {
  const longest = Math.max(...columns.map((column) => report.columns[column].name.length));
  const half = Math.min(width * 0.21, Math.max(40, 4 + longest * 3.9 + 8));
  const ordered = links.some(({ type }) => type === RISES || type === FALLS);
  const determined = links.some(({ type }) => type === DETERMINES || type === SAME);
  const middle = ordered && determined ? width / 2 : determined ? width * 0.3 : width * 0.7;
  return { middle, half, left: middle - half - 8, right: width - middle - half - 8 };
}

function arrowhead() {
  const tip = shape("path", { d: "M0,0 L8,4 L0,8 Z" });
  return shape(
    "defs",
    {},
    shape(
      "marker",
      {
        id: "tip",
        viewBox: "0 0 8 8",
        refX: 7,
        refY: 4,
        markerWidth: 8,
        markerHeight: 8,
        markerUnits: "userSpaceOnUse",
        orient: "auto",
      },
      tip,
    ),
  );
}

/** An arc for a link: a line to see, a broad one to hit, a sign of what it says. */
function arc(link, place, frame, links) {
  const side = link.type === RISES || link.type === FALLS ? -1 : 1;
  const down = Math.sign(place.get(link.to) - place.get(link.from));
  const [start, end] = [place.get(link.from) + 5 * down, place.get(link.to) - 5 * down];
  const x = frame.middle + side * (frame.half + 3);
  const reach = reachOf(
    Math.abs(end - start),
    frame.longest,
    Math.min(260, side < 0 ? frame.left : frame.right),
  );
  const bend = x + (side * reach) / 0.75;
  const path = `M${x},${start} C${bend},${start} ${bend},${end} ${x},${end}`;
  const line = shape("path", {
    d: path,
    class: "line",
    "stroke-width": strength(link, links),
    "marker-end": link.type === DETERMINES ? "url(#tip)" : null,
  });
  const sign = { [RISES]: "↑", [FALLS]: "↓" }[link.type];
  const mark = sign
    ? shape(
        "text",
        { x: x + side * reach, y: (start + end) / 2 + 4, class: "sign", "aria-hidden": "true" },
        sign,
      )
    : null;
  return pressed(
    shape(
      "g",
      {
        class: `arc ${link.type} ${link.conditional ? "with-others" : ""}`,
        "data-ends": `${link.from} ${link.to}`,
      },
      shape("path", { d: path, class: "hit" }),
      line,
      mark,
    ),
    linkTold(link),
    () => showLawsAbout([link.from, link.to], kindOfLink(link)),
  );
}

/** How far an arc goes aside: the longer, the farther, but no needles. */
function reachOf(distance, longest, room) {
  return Math.min(22 + (room - 32) * (distance / longest) ** 0.8, 20 + distance);
}

function strength(link, links) {
  const most = Math.log(
    2 + links.reduce((best, one) => Math.max(best, Number.isFinite(one.bits) ? one.bits : 0), 0),
  );
  const share = Number.isFinite(link.bits) ? Math.log(2 + link.bits) / most : 1;
  return (1 + 1.8 * share).toFixed(2);
}

function label(column, y, frame) {
  const { name } = report.columns[column];
  const most = Math.floor((2 * frame.half - (singleKeys.has(column) ? 26 : 10)) / 7.2);
  const text = name.length > most ? `${name.slice(0, most - 1)}…` : name;
  const back = shape("rect", {
    x: frame.middle - frame.half,
    y: y - 12,
    width: 2 * frame.half,
    height: 24,
    rx: 6,
  });
  const node = shape(
    "g",
    { class: `node ${singleKeys.has(column) ? "key" : ""}`, "data-column": column },
    back,
    shape("text", { x: frame.middle, y: y + 4.5 }, text),
  );
  const whole = text === name ? "" : ` (${name})`;
  return pressed(node, `Laws about ${text}${whole}${singleKeys.has(column) ? ", a key" : ""}`, () =>
    showLawsAbout([column]),
  );
}

/** Make a button of a part of the drawing: by mouse, touch and keyboard, told when pointed at. */
function pressed(node, said, press) {
  const point = () => {
    byId("picture-said").textContent = said;
    highlight(node);
  };
  furnished(
    node,
    {
      role: "button",
      tabindex: "0",
      "aria-label": said,
      click: press,
      pointerenter: point,
      focus: point,
      pointerleave: () => highlight(null),
      blur: () => highlight(null),
      keydown: (event) => {
        if (event.key === "Enter" || event.key === " ") (event.preventDefault(), press());
      },
    },
    [],
  );
  return node;
}

/** Let what is pointed at, and what hangs together with it, stand out. */
function highlight(node) {
  const drawing = byId("drawing").firstElementChild;
  drawing.classList.toggle("pointing", node !== null);
  for (const one of drawing.querySelectorAll(".on")) one.classList.remove("on");
  if (node === null) return;
  const ends = node.dataset.column === undefined ? node.dataset.ends.split(" ") : [node.dataset.column];
  const arcs =
    node.dataset.column === undefined
      ? [node]
      : [...drawing.querySelectorAll(".arc")].filter((one) => one.dataset.ends.split(" ").includes(ends[0]));
  const columns = new Set([...ends, ...arcs.flatMap((one) => one.dataset.ends.split(" "))]);
  for (const one of [...arcs, ...drawing.querySelectorAll(".node")]) {
    if (one.dataset.column === undefined || columns.has(one.dataset.column)) one.classList.add("on");
  }
}

function legend(links) {
  const types = Object.keys(LEGEND).filter((type) => links.some((link) => link.type === type));
  const items = types.map((type) => element("li", { class: type }, swatch(type, false), LEGEND[type]));
  const conditional = links.some((link) => link.conditional);
  return [
    ...items,
    ...(conditional ? [element("li", {}, swatch("", true), "only together with other columns")] : []),
  ];
}

function swatch(type, conditional) {
  return shape(
    "svg",
    {
      width: 34,
      height: 12,
      "aria-hidden": "true",
      class: `arc ${type} ${conditional ? "with-others" : ""}`,
    },
    shape("path", {
      d: "M1,6 L31,6",
      class: "line",
      "stroke-width": 2.2,
      "marker-end": type === DETERMINES ? "url(#tip)" : null,
    }),
    {
      [RISES]: shape("text", { x: 17, y: 10, class: "sign" }, "↑"),
      [FALLS]: shape("text", { x: 17, y: 10, class: "sign" }, "↓"),
    }[type] ?? null,
  );
}
