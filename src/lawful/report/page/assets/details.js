// What there is to say of one law.

function details(law) {
  const { states } = shapeOf(law);
  const told = failing[law]?.told ?? [];
  const lines = [
    ...(states ? [element("p", {}, "The same as ", element("code", {}, filled(law, states)))] : []),
    element("p", {}, bitsTold(law)),
    ...(SCORED ? [element("p", {}, scoreTold(law))] : []),
    element("p", {}, errorTold(law)),
  ];
  if (told.length) return [...lines, element("pre", {}, told.join("\n"))];
  const rows = failing[law] ? null : exampleRows(law);
  return rows ? [...lines, element("p", {}, "Rows that show it:"), rows] : lines;
}

function bitsTold(law) {
  if (isFact(law)) return "A fact: it needs no bits.";
  if (bits[law] === null) return "Its bits were not computed.";
  const chance = Math.floor(bits[law]);
  if (failing[law])
    return `${number(chance, "bit")} are saved by writing the table down with it, its exceptions apart.`;
  if (chance < 1) return "0 bits: such a law is likely chance.";
  const odds = chance <= 30 ? plain.format(2 ** chance) : `2^${chance}`;
  return `${number(chance, "bit")}: chance makes such a law in one of ${odds} searches.`;
}

function scoreTold(law) {
  const { kind, same } = shapeOf(law);
  if (score[law] === null) return "Its score was not computed.";
  if (kind === "key") return "Score 0: no two rows agree on a key.";
  if (kind === "dc" || kind === "pod")
    return `Score ${score[law]}: the mean of how short the law is and how many pairs of rows come near to it.`;
  if (!same.length) return "Score 1: it speaks of all pairs of rows.";
  const names = same.map((place) => report.columns[columnAt(law, place)].name).join(", ");
  return `Score ${score[law]}: ${percent(score[law])} of the pairs of rows agree on ${names}.`;
}

function errorTold(law) {
  const error = failing[law];
  const rows = report.rows === null ? "all rows" : number(report.rows, "row");
  if (!error)
    return report.sample
      ? `No exception among ${rows}.`
      : `No exception among ${rows} when the law was found.`;
  return `It fails: ${number(error.pairs, "pair")} of rows break it; without ${number(error.removals, "row")} (${percent(error.share)}) it holds.`;
}
