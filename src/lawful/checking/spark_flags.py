"""Which rows of a Spark table break laws.

The laws are judged here first, as those of any table: of one that holds nothing is left to Spark. Rows that
break a law are told by their values, which Spark joins with the table, or, where these are many, by window
functions over the rows of a context. NULL equals NULL and is less than every value, as by default everywhere:
in windows a value is compared as a struct of itself. Needs nothing that a Spark Connect session lacks, and
keeps nothing on executors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

from lawful.checking.denials import require_columns_of
from lawful.checking.judged_table import JudgedTable
from lawful.engine import Threads
from lawful.laws import DC, Law, Operator, Predicate
from lawful.table import read
from lawful.table.ranked import as_they_lie
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, WindowSpec

FEW_VALUES = 1 << 16  # that Spark joins with a table for less than windows take
_OWN = "_lawful_{}_{}"  # names of columns that are there for a while


@dataclass(frozen=True)
class _Conditions:
    """The predicates of a law, by what is done with them."""

    context: list[str] = field(default_factory=list)
    orders: list[Predicate] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    filters: Mapping[str, list[Predicate]] = field(default_factory=lambda: {"t": [], "s": []})
    others: list[Predicate] = field(default_factory=list)

    @classmethod
    def of(cls, law: DC) -> _Conditions:
        parts = cls()
        for one in sorted(law.predicates, key=str):
            left, right = one.comparison
            if left.row == right.row:
                parts.filters[left.row].append(one)
            elif left.column != right.column:
                parts.others.append(one)
            elif one.operator in ("=", "!="):
                (parts.context if one.operator == "=" else parts.different).append(left.column)
            else:
                parts.orders.append(one)
        return parts

    @property
    def filtered(self) -> bool:
        """Whether there are conditions on one row."""
        return bool(self.filters["t"] or self.filters["s"])

    @property
    def by_windows(self) -> bool:
        """Whether windows can tell the rows that break the law."""
        tests = len(self.orders) + len(self.different)
        return (not tests if self.filtered else tests <= 1 or self.has_partners) and not self.others

    @property
    def alone(self) -> bool:
        """Whether rows break the law by themselves, with whatever others."""
        one_sided = self.filtered and not (self.filters["t"] and self.filters["s"])
        return one_sided and not self.context and self.by_windows

    @property
    def has_partners(self) -> bool:
        """Whether windows can tell a row that breaks the law together with another."""
        return not self.filtered and not self.different and not self.others and len(self.orders) == 2


def with_flags(frame: DataFrame, laws: Sequence[Law], names: Sequence[str]) -> DataFrame:
    """The table with a Boolean column for each law, under the given names: whether a row breaks it.

    Beside those of laws with two tests by order there is a column `partner_of(name)`: a row that breaks the
    law together with this one, as a struct of the law's columns.
    """
    from pyspark.sql import functions as f

    require_columns_of(laws, frame.columns)
    flagged, table = frame, _judged(frame, laws)
    for number, (law, name) in enumerate(zip(laws, names, strict=True)):
        parts = _Conditions.of(law.as_dc())
        if not table.breaks(law):
            flagged = flagged.withColumn(name, f.lit(False))
            continue
        values = None if parts.has_partners or parts.alone else _breaking_values(table, law)
        if values is None or (parts.by_windows and values.num_rows > FEW_VALUES):
            flagged = _by_windows(flagged, parts, _OWN.format(number, "rank"), name)
        else:
            flagged = _by_values(flagged, values, name)
    return flagged


def partner_of(flag: str) -> str:
    """The name of the column of partners beside one of flags."""
    return f"{flag}_with"


def column(name: str) -> Column:
    """A column of whatever name."""
    from pyspark.sql import functions as f

    return f.col("`" + name.replace("`", "``") + "`")


def _by_windows(frame: DataFrame, parts: _Conditions, rank: str, name: str) -> DataFrame:
    if parts.filtered:
        return frame.withColumn(name, _passing(parts))
    if len(parts.orders) == 2:
        return _swapped(frame, parts, rank, name)
    if not parts.context:  # a window of all rows would have them all in one place
        return frame.crossJoin(frame.agg(_unlike(parts, None).alias(name)))
    return frame.withColumn(name, _unlike(parts, _window(parts.context)))


def _unlike(parts: _Conditions, own: WindowSpec | None) -> Column:
    """Whether a class has several rows, or several values of one column; without a window, all rows."""
    from pyspark.sql import functions as f

    def over(aggregate: Column) -> Column:
        return aggregate if own is None else aggregate.over(own)

    values = [*parts.different, *(one.left.column for one in parts.orders if _is_strict(one))]
    if not values:
        return over(f.count(f.lit(1))) > 1
    value = _value(values[0])
    return over(f.min(value)) != over(f.max(value))


def _passing(parts: _Conditions) -> Column:
    """Whether a row can be t, or s, beside another row of its class that can be the other one."""
    from pyspark.sql import functions as f

    if parts.alone:
        return _holding(parts.filters["t"] or parts.filters["s"])
    sides = [_holding(parts.filters[row]) for row in ("t", "s")]
    others = [f.sum(side.cast("long")).over(_window(parts.context)) - side.cast("long") for side in sides]
    return (sides[0] & (others[1] > 0)) | (sides[1] & (others[0] > 0))


def _swapped(frame: DataFrame, parts: _Conditions, rank: str, name: str) -> DataFrame:
    """Rows that break a law with two order tests: one is swept, the extremes of the other run along."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    first, second = sorted(parts.orders, key=_is_strict, reverse=True)
    row = f.struct(*map(column, [*parts.context, first.left.column, second.left.column])).alias("row")
    value = _value(second.left.column)
    told = f.struct(value.alias("value"), row)
    own = Window.partitionBy(*map(column, parts.context))
    ranked = frame.withColumn(rank, f.dense_rank().over(own.orderBy(_sorted(first))))
    before = own.orderBy(column(rank)).rangeBetween(Window.unboundedPreceding, -1)
    behind = own.orderBy(column(rank).desc()).rangeBetween(Window.unboundedPreceding, -1)
    lowest, highest = (f.min, f.max) if second.operator in ("<", "<=") else (f.max, f.min)
    next_one, last_one = highest(told).over(behind), lowest(told).over(before)
    as_first = f.coalesce(_compared(value, second.operator, next_one["value"]), f.lit(False))
    as_second = f.coalesce(_compared(last_one["value"], second.operator, value), f.lit(False))
    broken, partner = as_first | as_second, f.when(as_first, next_one["row"]).when(as_second, last_one["row"])
    if not _is_strict(first):  # rows with the same place break it too
        alike = Window.partitionBy(*map(column, [*parts.context, rank]))
        lowest_row, highest_row = f.min(row).over(alike), f.max(row).over(alike)
        broken = broken | (f.count(f.lit(1)).over(alike) > 1)
        partner = f.coalesce(partner, f.when(lowest_row == row, highest_row).otherwise(lowest_row))
    return ranked.withColumns({name: broken, partner_of(name): partner}).drop(rank)


def _by_values(flagged: DataFrame, values: pa.Table, name: str) -> DataFrame:
    """The table joined with the values of rows that break a law: rows with the same values all do."""
    from pyspark.sql import functions as f

    there = [_OWN.format(name, place) for place in range(values.num_columns)]
    broken = flagged.sparkSession.createDataFrame(values.rename_columns(there)).withColumn(name, f.lit(True))
    pairs = zip(values.column_names, there, strict=True)
    same = [column(own).eqNullSafe(column(other)) for own, other in pairs]
    joined = flagged.join(broken, reduce(lambda one, other: one & other, same), "left").drop(*there)
    return joined.withColumn(name, f.coalesce(column(name), f.lit(False)))


def _judged(frame: DataFrame, laws: Sequence[Law]) -> JudgedTable:
    """The columns of a table that laws speak of, here."""
    spoken = {name for law in laws for name in law.columns}
    chosen = frame.select([column(name) for name in frame.columns if name in spoken])
    relation = read(chosen, session=frame.sparkSession)
    return JudgedTable.of(laws, relation, Threads(Workspace(as_they_lie(relation))))


def _breaking_values(table: JudgedTable, law: Law) -> pa.Table:
    """The distinct values, in a law's columns, of the rows that break it."""
    names, work = sorted(law.columns), table.work(law)
    ids = work.rows.row_ids(table.conflicts(law).of_row.nonzero()[0])
    return table.relation.rows(ids, names).group_by(names).aggregate([])


def _window(context: Iterable[str]) -> WindowSpec:
    from pyspark.sql import Window

    return Window.partitionBy(*map(column, context))


def _value(name: str) -> Column:
    """A value that compares with NULL."""
    from pyspark.sql import functions as f

    return f.struct(column(name))


def _holding(predicates: Iterable[Predicate]) -> Column:
    """Whether a row satisfies conditions on it alone."""
    from pyspark.sql import functions as f

    holding = f.lit(True)
    for one in predicates:
        left, right = (f.struct(column(cell.column).alias("value")) for cell in one.comparison)
        holding = holding & _compared(left, one.operator, right)
    return holding


def _compared(left: Column, operator: Operator, right: Column) -> Column:
    compared: dict[Operator, Column] = {
        "<": left < right,
        "<=": left <= right,
        "=": left == right,
        "!=": left != right,
        ">=": left >= right,
        ">": left > right,
    }
    return compared[operator]


def _is_strict(predicate: Predicate) -> bool:
    return predicate.operator in ("<", ">")


def _sorted(predicate: Predicate) -> Column:
    """In the order in which t comes before s, NULL being less than every value."""
    own = column(predicate.left.column)
    return own.asc_nulls_first() if predicate.operator in ("<", "<=") else own.desc_nulls_last()
