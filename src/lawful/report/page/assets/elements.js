// Elements and numbers: what all parts of the page use.

const SVG = "http://www.w3.org/2000/svg";
const plain = new Intl.NumberFormat("en");

function byId(id) {
  return document.getElementById(id);
}

/** An element with attributes and children. Texts become text nodes: no name or value is read as markup. */
function element(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}

/** The same in a drawing. */
function shape(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS(SVG, tag), attributes, children);
}

function furnished(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

function button(text, press, attributes = {}) {
  return element("button", { type: "button", click: press, ...attributes }, text);
}

/** A long name with places where a line may end. */
function breakable(name) {
  return name.split(/(?<=[_.\-/])/).flatMap((part) => [part, element("wbr")]);
}

/** So many of something. */
function number(count, one, many = `${one}s`) {
  return `${plain.format(count)} ${count === 1 ? one : many}`;
}

/** A share in percent, with the digits that count. */
function percent(share) {
  return `${Number((100 * share).toPrecision(share < 0.1 ? 2 : 3))}%`;
}

/** A value of the table; what is no value is told apart from a text. */
function valueShown(value) {
  return value === null
    ? element("i", { class: "null" }, "NULL")
    : value === ""
      ? element("i", { class: "null" }, "empty")
      : value;
}

function table(heads, lines) {
  const head = heads.map((text) => element("th", { scope: "col" }, text));
  return [element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...lines)];
}

function cell(content, attributes = {}) {
  return element("td", attributes, content);
}
