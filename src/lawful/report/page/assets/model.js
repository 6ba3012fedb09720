// The report as data: laws are shapes filled with columns, found by what is wanted of them.

const report = JSON.parse(byId("data").textContent);
const { shapes, bits, score } = report.laws;
const total = report.laws.shape.length;
const starts = startsOf(report.laws.shape);
const KINDS = Object.fromEntries(report.kinds.map((kind) => [kind.kind, kind]));
const failing = report.failing ?? {};
const texts = new Array(total);

/** What is wanted of the laws that are shown. */
const wanted = { words: "", kind: "", columns: [], size: 0, bits: 0, order: "bits", page: 0 };

/** Where the columns of each law begin in the list of those of all laws. */
function startsOf(numbers) {
  const found = new Int32Array(numbers.length + 1);
  numbers.forEach((number, law) => {
    found[law + 1] = found[law] + shapes[number].places;
  });
  return found;
}

function shapeOf(law) {
  return shapes[report.laws.shape[law]];
}

/** Whether it speaks of one column alone, and holds: that needs no bits. */
function isFact(law) {
  return shapeOf(law).fact && !failing[law];
}

/** The column at a place of a law. */
function columnAt(law, place) {
  return report.laws.columns[starts[law] + place];
}

function columnsOf(law) {
  return report.laws.columns.slice(starts[law], starts[law + 1]);
}

/** A text of a shape with the columns of a law in its places. */
function filled(law, text) {
  return text.replace(/_(\d{4})/g, (_, place) => report.columns[columnAt(law, Number(place))].quoted);
}

/** The text of a law, column names in elements of their own. */
function markedText(law) {
  const parts = shapeOf(law).text.split(/_(\d{4})/);
  return parts.map((part, index) =>
    index % 2 ? element("b", {}, report.columns[columnAt(law, Number(part))].quoted) : part,
  );
}

/** What is searched for words: the law and its sentence, in small letters. */
function searched(law) {
  const { text, sentence, kind } = shapeOf(law);
  return (texts[law] ??= `${filled(law, text)} ${filled(law, sentence)} ${KINDS[kind].one}`.toLowerCase());
}

/** Whether a law has a word. Plain words stand in a column's name or in the shape: no text need be made. */
function finder(word) {
  if (!/^[\p{L}\p{N}_]+$/u.test(word)) return (law) => searched(law).includes(word);
  const columns = Uint8Array.from(report.columns, ({ quoted }) => quoted.toLowerCase().includes(word));
  const inShape = new Map(shapes.map((one) => [one, fixedWords(one).includes(word)]));
  return (law) => inShape.get(shapeOf(law)) || speaksOf(law, columns);
}

function fixedWords({ text, sentence, kind }) {
  return `${text} ${sentence} ${KINDS[kind].one}`.replace(/_\d{4}/g, " ").toLowerCase();
}

/** For each column whether laws about one name it: itself, or what stands for it. */
function standingMarks(column) {
  const marks = new Uint8Array(report.columns.length);
  for (const one of report.columns[column].standing) marks[one] = 1;
  return marks;
}

function speaksOf(law, marks) {
  for (let at = starts[law]; at < starts[law + 1]; at++) if (marks[report.laws.columns[at]]) return true;
  return false;
}

/** The laws that are wanted, in the order that is wanted. */
function lawsWanted() {
  const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean).map(finder);
  const marks = wanted.columns.map(standingMarks);
  const found = [];
  for (let law = 0; law < total; law++) {
    const { kind, size, fact } = shapeOf(law);
    if (wanted.kind && kind !== wanted.kind) continue;
    if (wanted.size && size > wanted.size) continue;
    if (wanted.bits && !fact && !(bits[law] >= wanted.bits)) continue;
    if (!marks.every((one) => speaksOf(law, one))) continue;
    if (words.every((has) => has(law))) found.push(law);
  }
  return found.sort(ORDERS[wanted.order].compare);
}

/** Keys of one column before all, constants, of which there may be many, behind all. */
function worth(law) {
  return isFact(law) ? (shapeOf(law).right === null ? Infinity : -2) : (bits[law] ?? -1);
}

function descending(first, second) {
  return first === second ? 0 : second > first ? 1 : -1;
}

function bySize(first, second) {
  return shapeOf(first).size - shapeOf(second).size;
}

function byBits(first, second) {
  return descending(worth(first), worth(second));
}

function byScore(first, second) {
  return descending(score[first] ?? -1, score[second] ?? -1);
}

function byError(first, second) {
  return descending(failing[first]?.share ?? 0, failing[second]?.share ?? 0);
}

const ORDERS = {
  bits: { name: "most bits", compare: (a, b) => byBits(a, b) || bySize(a, b) || a - b },
  score: { name: "highest score", compare: (a, b) => byScore(a, b) || byBits(a, b) || a - b },
  size: { name: "smallest", compare: (a, b) => bySize(a, b) || byBits(a, b) || a - b },
  error: { name: "largest error", compare: (a, b) => byError(a, b) || byBits(a, b) || a - b },
  text: { name: "text", compare: (a, b) => (searched(a) < searched(b) ? -1 : 1) },
};
