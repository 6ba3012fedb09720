"""Which rows of a Spark table break laws.

Rows with the same values in a law's columns break it together. So Spark makes the distinct combinations of
these values, with how many rows have each, and window functions over those of a context tell which of them
break the law; what no window can tell is told here. The combinations that break a law are joined with the
table. NULL equals NULL and is less than every value, as by default everywhere: in windows a value is compared
as a struct of itself. Needs nothing that a Spark Connect session lacks, and keeps nothing on executors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

from lawful import machine
from lawful.checking.denials import crossings_of, require_columns_of
from lawful.checking.judged_table import JudgedTable
from lawful.engine import Threads
from lawful.errors import LawfulError
from lawful.laws import DC, Law, Operator, Predicate
from lawful.table import read
from lawful.table.ranked import as_they_lie
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, WindowSpec

FEW_VALUES = 1 << 16  # that are sent to all executors, as a part of the query
CELL_BYTES = 64  # that a value takes which is judged here: 20 and more, and its text
_COUNT, _RANK = "_lawful_count", "_lawful_rank"  # columns that are there for a while


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
        within = not tests if self.filtered else tests <= 1 or len(self.orders) == tests == 2
        return within and not self.others

    @property
    def alone(self) -> bool:
        """Whether rows break the law by themselves, with whatever others."""
        one_sided = self.filtered and not (self.filters["t"] and self.filters["s"])
        return one_sided and not self.context and self.by_windows


def with_flags(frame: DataFrame, laws: Sequence[Law], names: Sequence[str]) -> DataFrame:
    """The table with a Boolean column for each law, under the given names: whether a row breaks it.

    Beside those of laws with two tests by order there is a column `partner_of(name)`: a row that breaks the
    law together with this one, as a struct of the law's columns.
    """
    require_columns_of(laws, frame.columns)
    crossings_of(laws, read(frame.limit(0), session=frame.sparkSession).columns)  # if they do not compare
    flagged = frame
    for law, name in zip(laws, names, strict=True):
        parts = _Conditions.of(law.as_dc())
        if parts.alone:
            flagged = flagged.withColumn(name, _holding(parts.filters["t"] or parts.filters["s"]))
        else:
            flagged = _joined(flagged, _breaking(frame, law, parts, name), sorted(law.columns), name)
    return flagged


def partner_of(flag: str) -> str:
    """The name of the column of partners beside one of flags."""
    return f"{flag}_with"


def column(name: str) -> Column:
    """A column of whatever name."""
    from pyspark.sql import functions as f

    return f.col("`" + name.replace("`", "``") + "`")


def _breaking(frame: DataFrame, law: Law, parts: _Conditions, name: str) -> DataFrame:
    """The distinct combinations of values in a law's columns that break it, beside a column of True."""
    from pyspark.sql import functions as f

    values = [_comparable(frame, one).alias(one) for one in sorted(law.columns)]
    every = frame.groupBy(*values).agg(f.count(f.lit(1)).alias(_COUNT))
    found = _by_windows(every, parts, name) if parts.by_windows else _judged(every, law, name)
    return found.where(column(name)).drop(_COUNT)


def _joined(flagged: DataFrame, broken: DataFrame, columns: Sequence[str], name: str) -> DataFrame:
    """The table joined with the combinations that break a law: each row that has one does."""
    from pyspark.sql import functions as f

    some = broken.limit(FEW_VALUES + 1).toArrow()
    if not some.num_rows:
        return flagged.withColumn(name, f.lit(False))
    if some.num_rows <= FEW_VALUES:
        broken = f.broadcast(flagged.sparkSession.createDataFrame(some, broken.schema))
    there = {one: f"{name}_{place}" for place, one in enumerate(columns)}
    same = (_comparable(flagged, one).eqNullSafe(column(other)) for one, other in there.items())
    condition = reduce(lambda one, other: one & other, same, f.lit(True))
    joined = flagged.join(broken.withColumnsRenamed(there), condition, "left").drop(*there.values())
    return joined.withColumn(name, f.coalesce(column(name), f.lit(False)))


def _comparable(frame: DataFrame, name: str) -> Column:
    """The values of a column as what Spark groups, compares and joins, and Arrow brings back as they are."""
    from pyspark.sql import functions as f
    from pyspark.sql.types import BinaryType

    from lawful.table.sparks import atomic

    own, kind = column(name), frame.schema[name].dataType
    return f.hex(own) if isinstance(kind, BinaryType) else atomic(own, kind)


def _by_windows(every: DataFrame, parts: _Conditions, name: str) -> DataFrame:
    if parts.filtered:
        return every.withColumn(name, _passing(parts))
    if len(parts.orders) == 2:
        return _swapped(every, parts, name)
    if not parts.context:  # a window of all rows would have them all in one place
        return every.crossJoin(every.agg(_unlike(parts, None).alias(name)))
    return every.withColumn(name, _unlike(parts, _window(parts.context)))


def _unlike(parts: _Conditions, own: WindowSpec | None) -> Column:
    """Whether a class has several rows, or several values of one column; without a window, all rows."""
    from pyspark.sql import functions as f

    def over(aggregate: Column) -> Column:
        return aggregate if own is None else aggregate.over(own)

    values = [*parts.different, *(one.left.column for one in parts.orders if _is_strict(one))]
    if not values:
        return over(f.sum(_COUNT)) > 1
    value = _value(values[0])
    return over(f.min(value)) != over(f.max(value))


def _passing(parts: _Conditions) -> Column:
    """Whether a row can be t, or s, beside another row of its class that can be the other one."""
    from pyspark.sql import functions as f

    sides = [_holding(parts.filters[row]).cast("long") for row in ("t", "s")]
    others = [f.sum(side * column(_COUNT)).over(_window(parts.context)) - side for side in sides]
    return ((sides[0] > 0) & (others[1] > 0)) | ((sides[1] > 0) & (others[0] > 0))


def _swapped(every: DataFrame, parts: _Conditions, name: str) -> DataFrame:
    """Rows that break a law with two order tests: one is swept, the extremes of the other run along."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    first, second = sorted(parts.orders, key=_is_strict, reverse=True)
    row = f.struct(*map(column, [*parts.context, first.left.column, second.left.column])).alias("row")
    value = _value(second.left.column)
    told = f.struct(value.alias("value"), row)
    own = Window.partitionBy(*map(column, parts.context))
    ranked = every.withColumn(_RANK, f.dense_rank().over(own.orderBy(_sorted(first))))
    before = own.orderBy(column(_RANK)).rangeBetween(Window.unboundedPreceding, -1)
    behind = own.orderBy(column(_RANK).desc()).rangeBetween(Window.unboundedPreceding, -1)
    lowest, highest = (f.min, f.max) if second.operator in ("<", "<=") else (f.max, f.min)
    next_one, last_one = highest(told).over(behind), lowest(told).over(before)
    as_first = f.coalesce(_compared(value, second.operator, next_one["value"]), f.lit(False))
    as_second = f.coalesce(_compared(last_one["value"], second.operator, value), f.lit(False))
    broken, partner = as_first | as_second, f.when(as_first, next_one["row"]).when(as_second, last_one["row"])
    if not _is_strict(first):  # rows with the same place break it too
        alike = Window.partitionBy(*map(column, [*parts.context, _RANK]))
        lowest_row, highest_row = f.min(row).over(alike), f.max(row).over(alike)
        broken = broken | (f.sum(_COUNT).over(alike) > 1)
        partner = f.coalesce(partner, f.when(lowest_row == row, highest_row).otherwise(lowest_row))
    return ranked.withColumns({name: broken, partner_of(name): partner}).drop(_RANK)


def _judged(every: DataFrame, law: Law, name: str) -> DataFrame:
    """The combinations that break a law by judging it here, on at most two rows of each."""
    from pyspark.sql import functions as f

    names, copies = sorted(law.columns), f.least(column(_COUNT), f.lit(2))
    rows = every.agg(f.sum(copies)).collect()[0][0] or 0
    if rows * len(names) * CELL_BYTES > machine.free_bytes() // 2:
        raise LawfulError(
            f"{str(law)!r} cannot be flagged: no window of Spark tells which rows break it, and its columns "
            f"have too many values to judge it here ({rows:,} rows): leave it out, or flag parts of the table"
        )
    twice = every.select(*map(column, names), f.explode(f.sequence(f.lit(1), copies)))
    relation = read(twice.select(*map(column, names)), session=every.sparkSession)
    table = JudgedTable.of([law], relation, Threads(Workspace(as_they_lie(relation))))
    ids = table.work(law).rows.row_ids(table.conflicts(law).of_row.nonzero()[0])
    values = relation.rows(ids, names).group_by(names).aggregate([])
    found = every.sparkSession.createDataFrame(values, every.drop(_COUNT).schema)
    return found.withColumn(name, f.lit(True))


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
