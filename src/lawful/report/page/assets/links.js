// Which columns hang together, by which laws, and in which order they are best drawn.

const ENOUGH_BITS = 10; // of laws that are no mere chance
const [DETERMINES, RISES, FALLS, SAME] = ["determines", "rises", "falls", "same"];
const singleKeys = new Set();
/** Which columns hang together by which laws, the strongest links first; mere chance only if all is. */
function linksOfLaws() {
  const links = new Map();
  for (let law = 0; law < total; law++) {
    const { kind, same, left, right, falls, fact, size } = shapeOf(law);
    if (failing[law]?.passes === false) continue;
    if (kind === "key" && size === 1) singleKeys.add(columnAt(law, 0));
    if (fact || right === null) continue;
    if (left !== null)
      note(links, falls ? FALLS : RISES, columnAt(law, left), columnAt(law, right), law, same.length > 0);
    else
      for (const one of same)
        note(links, DETERMINES, columnAt(law, one), columnAt(law, right), law, same.length > 1);
  }
  for (const [first, ...others] of report.equivalents) {
    for (const other of others) note(links, SAME, columnNumber(first), columnNumber(other), null, false);
  }
  const sorted = [...links.values()].sort((first, second) => descending(first.bits, second.bits));
  const sure = sorted.filter((link) => link.bits >= ENOUGH_BITS);
  return sure.length ? sure : sorted;
}

function columnNumber(name) {
  return report.columns.findIndex((column) => column.name === name);
}

/** Take in that a law links two columns; of several laws the one with the most bits stands for them. */
function note(links, type, from, to, law, conditional) {
  const id = `${type} ${from} ${to}`;
  const bitsOfLaw = law === null ? Infinity : (bits[law] ?? 0);
  const link = links.get(id) ?? { type, from, to, law, conditional, bits: bitsOfLaw, laws: 0 };
  if (bitsOfLaw > link.bits) Object.assign(link, { law, conditional, bits: bitsOfLaw });
  link.laws += 1;
  links.set(id, link);
}

function linkTold(link) {
  const [from, to] = [report.columns[link.from].name, report.columns[link.to].name];
  if (link.type === SAME) return `${from} and ${to} are equivalent: laws name ${from}`;
  return `${filled(link.law, shapeOf(link.law).sentence)} (${bitsShown(link.law)} bits${link.laws > 1 ? `; ${plain.format(link.laws)} laws link the two` : ""})`;
}

/** The kind of law to show for a link: that of its law, since a POD or DC may state it. */
function kindOfLink(link) {
  return link.law === null ? "" : shapeOf(link.law).kind;
}

/** The columns that links speak of, those that hang together next to each other. */
function inLine(links) {
  const beside = new Map();
  for (const { from, to } of links) {
    beside.set(from, [...(beside.get(from) ?? []), to]);
    beside.set(to, [...(beside.get(to) ?? []), from]);
  }
  const parts = partsOf(beside).sort((first, second) => second.length - first.length);
  return parts.flatMap((part) => shortArcs(part, beside));
}

/** Columns in parts that hang together. */
function partsOf(beside) {
  const seen = new Set();
  const parts = [];
  for (const start of [...beside.keys()].sort((a, b) => a - b)) {
    if (seen.has(start)) continue;
    const part = [start];
    seen.add(start);
    for (let next = 0; next < part.length; next++) {
      for (const other of beside.get(part[next])) if (!seen.has(other)) (seen.add(other), part.push(other));
    }
    parts.push(part);
  }
  return parts;
}

/** Each column goes to the middle of those it hangs together with, some times over: arcs get short. */
function shortArcs(part, beside) {
  let line = part;
  for (let round = 0; round < 12; round++) {
    const at = new Map(line.map((column, index) => [column, index]));
    const middle = (column) => {
      const others = beside.get(column);
      return (at.get(column) + others.reduce((sum, other) => sum + at.get(other), 0)) / (others.length + 1);
    };
    line = [...line].sort((first, second) => middle(first) - middle(second) || first - second);
  }
  return line;
}
