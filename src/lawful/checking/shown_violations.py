"""A few violations of a law for people, as plain data: the most telling ones first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lawful.checking.checked_laws import CheckedLaw, CheckedLaws
from lawful.checking.law_errors import Conflicts, conflicts_of
from lawful.checking.violating_rows import Groups, ViolatingRows, manner_of, of_pairs, rows_alone
from lawful.laws.comparisons import Ints
from lawful.machine import usable_cores
from lawful.validate.dc_literals import TESTS
from lawful.validate.partner_counts import worst_partner

ROWS_SHOWN = 5  # of a value, or of a group


def samples_of(
    verdicts: CheckedLaws, top: int, show: Sequence[str] = ()
) -> Iterator[tuple[CheckedLaw, dict[str, Any]]]:
    """Each law that fails with a sample of what breaks it, by all cores; nothing where `top` is 0."""
    failing = [*verdicts.failing] if top else []
    with ThreadPoolExecutor(usable_cores()) as pool:
        samples = pool.map(lambda one: ViolationSample(verdicts, one, top, show).to_json(), failing)
        yield from zip(failing, samples, strict=True)


class ViolationSample:
    """Some of what breaks the law of a verdict, at most `top` groups, rows or pairs, with further columns."""

    def __init__(
        self, verdicts: CheckedLaws, verdict: CheckedLaw, top: int, show: Sequence[str] = ()
    ) -> None:
        self._relation, self._work = verdicts.relation, verdicts.table.work(verdict.law)
        self._denial, self._top = verdicts.table.denial(verdict.law), top
        self._tells_wrong = verdict.tells_wrong_rows
        self._own = [one for one in self._relation.names if one in verdict.law.columns]
        self._more = [one for one in show if one not in self._own]

    @cached_property
    def _conflicts(self) -> Conflicts:
        return conflicts_of(self._denial, self._work)

    def to_json(self) -> dict[str, Any]:
        """A plain dict: which manner of violations, how many there are, and some."""
        match manner_of(self._denial):
            case "groups":
                groups = Groups.of(self._denial, self._work)
                return {"groups": len(groups.sizes), "shown": [*self._groups(groups)]}
            case "rows":
                rows = rows_alone(self._denial, self._work)
                return {"rows": len(rows.ids), "shown": self._lines(rows.ids[: self._top], self._own)}
        pairs = int(self._conflicts.as_first.sum())
        return {"pairs": pairs, "shown": [*self._pairs()]}

    def _groups(self, groups: Groups) -> Iterator[dict[str, Any]]:
        """The largest groups: what their rows have in common, and the values that they have not."""
        later = groups.firsts / (groups.firsts.max(initial=0) + 1)  # of like ones the first come first
        rows = groups.rows_of(np.array(_largest(groups.sizes - later, self._top), np.int64))
        for group in np.unique(rows.groups).tolist():
            yield self._group(rows, np.flatnonzero(rows.groups == group))

    def _group(self, rows: ViolatingRows, places: Ints) -> dict[str, Any]:
        names = self._relation.names
        shared = [names[column] for column in self._denial.context]
        first = self._values(rows.ids[places[:1]], shared)[0]
        told: dict[str, Any] = {"same": first, "rows": len(places)}
        if self._denial.literals.sizes[TESTS] == 0:
            return {**told, "at": self._lines(rows.ids[places[:ROWS_SHOWN]], [])}
        right = names[self._denial.literals.tests[0, 0]]
        return {**told, "column": right, "values": self._parts(rows, places, right)}

    def _parts(self, rows: ViolatingRows, places: Ints, right: str) -> list[dict[str, Any]]:
        """The values of a group, the most frequent first, with some of their rows."""
        (values,) = self._relation.rows(rows.ids[places], [right]).combine_chunks().columns
        found = values.combine_chunks().dictionary_encode("encode")
        codes = found.indices.to_numpy()
        most_first = np.argsort(-np.bincount(codes), kind="stable")[: max(self._top, ROWS_SHOWN)]
        return [
            self._part(rows, places[codes == code], found.dictionary[code].as_py()) for code in most_first
        ]

    def _part(self, rows: ViolatingRows, places: Ints, value: Any) -> dict[str, Any]:
        return {
            "value": value,
            "rows": len(places),
            "likely_wrong": self._tells_wrong and bool(rows.wrong[places[0]]),
            "at": self._lines(rows.ids[places[:ROWS_SHOWN]], []),
        }

    def _pairs(self) -> Iterator[dict[str, Any]]:
        """The rows that break the law most often, each with a partner."""
        degrees, shown, count = self._conflicts.of_row, set[int](), 0
        for row in _largest(degrees, 2 * self._top):  # each that is shown brings another one at most
            if count == self._top or not degrees[row]:
                return
            if row in shown:
                continue
            pair, count = self._pair_with(row), count + 1
            shown.update(pair.tolist()[0])
            rows = of_pairs(pair, self._work, self._conflicts)
            t, s = self._lines(rows.ids, self._own)
            marks = zip("ts", rows.wrong & self._tells_wrong, strict=True)
            wrong = next((side for side, is_it in marks if is_it), None)
            breaking = dict(zip("ts", degrees[pair[0]].tolist(), strict=True))
            yield {"t": t, "s": s, "likely_wrong": wrong, "pairs_of": breaking}

    def _pair_with(self, row: int) -> npt.NDArray[np.int32]:
        """A pair with a row, whichever side it is on: that with the partner of the most other pairs."""
        forth, context = bool(self._conflicts.as_first[row]), np.array(self._denial.context, np.int64)
        ranks, degrees = self._work.rows.ranks, self._conflicts.of_row
        other = worst_partner(ranks, context, self._denial.literals, row, forth, degrees)
        return np.array([[row, other] if forth else [other, row]], np.int32)

    def _lines(self, ids: Ints, own: Sequence[str]) -> list[dict[str, Any]]:
        """Rows: where they stand, and their values in the law's own columns and in further ones."""
        places, values = self._relation.locate(ids), self._values(ids, [*own, *self._more])
        several = len({place.source for place in self._relation.locate(self._relation.row_ids[[0, -1]])}) > 1
        return [
            {"row": place.row, **({"source": place.source} if several else {}), "values": line}
            for place, line in zip(places, values, strict=True)
        ]

    def _values(self, ids: Ints, names: Sequence[str]) -> list[dict[str, Any]]:
        if not names:
            return [{} for _ in ids]
        lines: list[dict[str, Any]] = self._relation.rows(ids, names).to_pylist()
        return lines


def _largest(numbers: npt.NDArray[Any], count: int) -> list[int]:
    """The places of the largest numbers, the first of equal ones first."""
    count = min(count, len(numbers))
    if not count:
        return []
    places = np.flatnonzero(numbers >= np.partition(numbers, -count)[-count])
    chosen: list[int] = places[np.argsort(-numbers[places], kind="stable")[:count]].tolist()
    return chosen
