"""The oracle against what the papers say about their own examples, and on small tables worked out by hand."""

import math
from collections import Counter
from itertools import combinations, product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import papers
from lawful.laws import DC, FD, OD, OPERATORS, OUTCOMES, POD, Cell, Key, Law, Operator, Predicate, parse
from naive import Table


def holds(text: str, table: Table) -> bool:
    return naive.holds(parse(text), table)


def texts(laws: set[FD] | set[OD] | set[Key] | set[POD] | set[DC]) -> list[str]:
    return [str(law) for law in sorted(laws)]


def agree_set(table: Table, t: int, s: int) -> str:
    return "".join(str(int(naive.sign(table, column, t, s) == "=")) for column in table.columns)


def select(table: Table, columns: list[str]) -> Table:
    rows = [tuple(table.value(row, column) for column in columns) for row in range(len(table.rows))]
    return Table(columns, rows)


HYOD_FLIGHTS = Table.from_arrow(papers.hyod_flights())
HYOD_R = Table.from_arrow(papers.hyod_r())
HYOD_SAMPLES = {number: Table.from_arrow(papers.hyod_sample(number)) for number in (1, 2, 3, 4)}
TAX = Table.from_arrow(papers.incpod_tax())
GROWN_TAX = Table.from_arrow(pa.concat_tables([papers.incpod_tax(), papers.incpod_tax_increment()]))
STAFF = Table.from_arrow(papers.hydra_staff())
DISTOD_FLIGHTS = Table.from_arrow(papers.distod_flights())
EMPLOYEES = Table.from_arrow(papers.dynast_employees())


def employees_after_the_batch() -> Table:
    deleted, inserted = papers.dynast_batch()
    before = papers.dynast_employees()
    kept = [row for row in range(before.num_rows) if row not in deleted]
    return Table.from_arrow(pa.concat_tables([before.take(kept), inserted]))


class TestHyOD:
    """Rows count from 0 here and from 1 in the paper."""

    @pytest.mark.parametrize(
        "text",
        [
            "{MTOW}: [] -> CAP",
            "{}: MTOW asc ~ CAP asc",
            "{Type} -> MC",
            "{}: M asc ~ W asc",
            "{DT, ET}: [] -> AT",
            "{DT}: ET asc ~ AT asc",
        ],
    )
    def test_examples_1_and_3_what_holds(self, text: str) -> None:
        assert holds(text, HYOD_FLIGHTS)

    @pytest.mark.parametrize("text", ["{M} -> W", "{}: ET asc ~ AT asc"])
    def test_example_1_what_does_not_hold(self, text: str) -> None:
        assert not holds(text, HYOD_FLIGHTS)

    def test_example_2_a_split_and_a_swap(self) -> None:
        assert (2, 3) in naive.violations(parse("{W} -> DT"), HYOD_FLIGHTS)
        assert (3, 4) in naive.violations(parse("{}: W asc ~ DT asc"), HYOD_FLIGHTS)

    def test_example_4_a_sample_misleads(self) -> None:
        assert parse("{A} -> C") in naive.minimal_fds(HYOD_SAMPLES[1])
        assert not holds("{A} -> C", HYOD_R)
        assert parse("{A, B} -> C") in naive.minimal_fds(HYOD_R)
        assert parse("{A}: B asc ~ C asc") in naive.minimal_ods(HYOD_R)
        assert not holds("{}: B asc ~ C asc", HYOD_SAMPLES[1])

    def test_example_5_what_minimality_depends_on(self) -> None:
        law = parse("{E}: A asc ~ B asc")
        minimal = Table("ABE", [(0, 1, 0), (1, 2, 0), (1, 0, 1), (2, 1, 1)])
        assert law in naive.minimal_ods(minimal)
        holds_without_context = Table("ABE", [(0, 0, 0), (1, 1, 0), (2, 2, 1)])
        context_determines_a = Table("ABE", [(0, 1, 0), (0, 2, 0), (1, 0, 1)])
        for table in (holds_without_context, context_determines_a):
            assert naive.holds(law, table)
            assert law not in naive.minimal_ods(table)

    def test_example_6_constants_of_a_sample_hide_others(self) -> None:
        sample = naive.minimal_fds(HYOD_SAMPLES[2])
        assert texts({fd for fd in sample if not fd.lhs}) == ["{} -> C"]
        assert not [fd for fd in sample if len(fd.lhs) == 1]
        assert not [fd for fd in naive.minimal_fds(HYOD_R) if len(fd.lhs) <= 1]

    def test_example_7_one_violating_pair_is_enough(self) -> None:
        """The paper looks at ascending sides only here."""
        sample = HYOD_SAMPLES[3]
        assert not [fd for fd in naive.minimal_fds(sample) if not fd.lhs]
        without_context = {od for od in naive.minimal_ods(sample) if not od.context}
        assert texts({od for od in without_context if not od.descending}) == ["{}: A asc ~ C asc"]
        assert {(0, 6), (2, 4)} <= naive.violations(parse("{}: A asc ~ C asc"), HYOD_R)
        for table in (HYOD_SAMPLES[4], HYOD_R):
            assert not [od for od in naive.minimal_ods(table) if not od.context]

    def test_example_9_violations_within_classes(self) -> None:
        assert {(3, 4), (3, 5)} <= naive.violations(parse("{B} -> A"), HYOD_R)
        assert naive.violations(parse("{B}: A asc ~ C asc"), HYOD_R) == {(2, 6)}


class TestIncPOD:
    SIGMA = ("ZIP = => ST =", "PH = => SSN =", "TXA >, SAL < => RATE <", "SSN =, Date < => NUM <")

    @pytest.mark.parametrize("text", SIGMA)
    def test_examples_1_and_4_what_holds(self, text: str) -> None:
        assert holds(text, TAX)

    def test_example_2_what_the_increment_breaks(self) -> None:
        assert [holds(text, GROWN_TAX) for text in self.SIGMA] == [True, False, False, True]
        assert naive.violations(parse(self.SIGMA[1]), GROWN_TAX) == {(1, 7), (7, 1)}
        assert naive.violations(parse(self.SIGMA[2]), GROWN_TAX) == {(7, 1), (8, 3)}
        assert holds("ST =, TXA >, SAL < => RATE <", GROWN_TAX)
        assert holds("TXA >, SAL < => RATE <=", GROWN_TAX)

    def test_example_3_marked_attributes(self) -> None:
        assert naive.sign(TAX, "SAL", 1, 0) == ">"
        assert naive.sign(TAX, "AC", 2, 5) == "="

    def test_examples_2_and_6_minimal_pods(self) -> None:
        """The third POD implies its two refinements and is lost with the increment; they stay.

        On so few rows none of the three is minimal itself: `SAL <= => RATE <=` holds before the increment.
        """
        third, *refined = map(
            parse, [self.SIGMA[2], "ST =, TXA >, SAL < => RATE <", "TXA >, SAL < => RATE <="]
        )
        assert all(third.implies(law) for law in refined)
        columns = ["ST", "SAL", "RATE", "TXA"]
        before, after = (naive.minimal_pods(select(table, columns)) for table in (TAX, GROWN_TAX))
        assert any(known.implies(third) for known in before)
        assert not any(known.implies(third) for known in after)
        assert all(any(known.implies(law) for known in after) for law in refined)

    def test_example_7_candidates_of_the_eighth_tuple(self) -> None:
        by_txa = {t for t in range(7) if naive.sign(GROWN_TAX, "TXA", 8, t) == ">"}
        by_sal = {t for t in range(7) if naive.sign(GROWN_TAX, "SAL", 8, t) == "<"}
        assert (by_txa, by_sal) == ({3, 4, 5, 6}, {1, 3, 6})

    def test_example_14_ways_out_of_a_violation(self) -> None:
        assert not holds("PH =, TXA >, SAL < => RATE <", GROWN_TAX)
        assert holds("ST =, TXA >, SAL < => RATE <", GROWN_TAX)


class TestHydra:
    @pytest.mark.parametrize(
        "text",
        [
            "not(t.Name = s.Name and t.Hired = s.Hired)",
            'not(t.Department = s.Department and t."D-Code" != s."D-Code")',
            "not(t.ID <= s.ID and t.Hired > s.Hired)",
            'not(t."D-Code" = s."D-Code" and t.Hired < s.Hired and t.Salary < s.Salary)',
        ],
    )
    def test_figure_1(self, text: str) -> None:
        """The last one as the paper explains it: the newer of two colleagues does not earn more."""
        assert holds(text, STAFF)

    def test_figure_1_as_printed(self) -> None:
        """Our copy of the figure has the last operator the other way round, which the table breaks."""
        printed = parse('not(t."D-Code" = s."D-Code" and t.Hired < s.Hired and t.Salary > s.Salary)')
        assert naive.violations(printed, STAFF) == {(0, 2), (0, 4), (2, 4)}


class TestDISTOD:
    @pytest.mark.parametrize(
        "text",
        [
            "{}: [] -> Month",
            "{ArrDelay}: [] -> ArrDelGrp",
            "{}: ArrDelay asc ~ ArrDelGrp asc",
            "{}: OFips asc ~ OState asc",
            "{OState}: [] -> OFips",
            "{OFips}: [] -> OState",
            # [ArrDelGrp, DepDelay] orders [ArrDelay], as set-based ODs
            "{ArrDelGrp, DepDelay}: [] -> ArrDelay",
            "{ArrDelGrp}: ArrDelay asc ~ DepDelay asc",
            # [OState asc, Day desc] orders [OFips asc]
            "{Day, OState}: [] -> OFips",
            "{OState}: Day desc ~ OFips asc",
        ],
    )
    def test_what_holds(self, text: str) -> None:
        assert holds(text, DISTOD_FLIGHTS)

    def test_three_splits(self) -> None:
        splits = naive.violations(parse("{ArrDelGrp}: [] -> ArrDelay"), DISTOD_FLIGHTS)
        assert splits == {(1, 5), (1, 9), (5, 9)}

    def test_a_swap(self) -> None:
        swaps = naive.violations(parse("{}: OFips asc ~ OState desc"), DISTOD_FLIGHTS)
        assert (6, 9) in swaps

    def test_a_statement_of_the_paper_that_its_table_breaks(self) -> None:
        """[ArrDelay] orders [ArrDelGrp, DepDelay] needs this FD; t_2 and t_8 split it."""
        assert naive.violations(parse("{ArrDelay} -> DepDelay"), DISTOD_FLIGHTS) == {(2, 8)}

    def test_null_comes_first(self) -> None:
        assert all(naive.sign(DISTOD_FLIGHTS, "DepDelay", 4, row) == "<" for row in range(10) if row != 4)


class TestDynASt:
    def test_agree_sets_before_the_batch(self) -> None:
        agree_sets = Counter(agree_set(EMPLOYEES, t, s) for t, s in combinations(range(4), 2))
        assert agree_sets == {"0010": 2, "0100": 1, "1000": 1, "0011": 1, "0000": 1}

    def test_agree_sets_after_the_batch(self) -> None:
        table = employees_after_the_batch()
        agree_sets = Counter(agree_set(table, t, s) for t, s in combinations(range(5), 2))
        assert agree_sets == {"0010": 2, "0100": 2, "1000": 2, "0011": 2, "0000": 2}

    def test_fds_of_the_first_name(self) -> None:
        found = {fd for fd in naive.minimal_fds(EMPLOYEES) if fd.rhs == "FN"}
        assert texts(found) == ["{LN, P} -> FN", "{LN, S} -> FN"]

    def test_errors(self) -> None:
        after = employees_after_the_batch()
        assert naive.error(parse("{LN} -> P"), after) == pytest.approx(0.2)
        assert naive.error(parse("key {P}"), after) == pytest.approx(0.4)
        assert naive.error(parse("key {FN, LN}"), after) == 0.0
        assert naive.error(parse("key {P}"), EMPLOYEES) == pytest.approx(0.5)


class TestValues:
    def test_null_equals_null_and_comes_first(self) -> None:
        table = Table("a", [(None,), (None,), (0,)])
        assert naive.sign(table, "a", 0, 1) == "="
        assert naive.sign(table, "a", 0, 2) == "<"

    def test_null_is_distinct_from_everything(self) -> None:
        table = Table("a", [(None,), (None,), (0,)], nulls="distinct")
        assert naive.sign(table, "a", 0, 1) == naive.sign(table, "a", 0, 2) == "!="
        assert holds("key {a}", table)
        assert naive.violations(parse("{} -> a"), table) == {(0, 1), (0, 2), (1, 2)}

    def test_nan_is_the_largest_number_and_minus_zero_is_zero(self) -> None:
        table = Table("a", [(math.nan,), (math.nan,), (math.inf,), (-0.0,), (0.0,)])
        assert naive.sign(table, "a", 0, 1) == "="
        assert naive.sign(table, "a", 0, 2) == ">"
        assert naive.sign(table, "a", 3, 4) == "="

    def test_columns_without_order_only_agree_or_differ(self) -> None:
        table = Table("ab", [("x", 1), ("y", 2), ("y", 3)], ordered=[False, True])
        assert naive.sign(table, "a", 0, 1) == naive.sign(table, "a", 1, 0) == "!="
        assert naive.sign(table, "a", 1, 2) == "="
        assert not naive.minimal_ods(table)
        assert {
            term.operator for pod in naive.minimal_pods(table) for term in pod.lhs if term.column == "a"
        } <= {"="}

    def test_nested_arrow_columns_have_no_order(self) -> None:
        table = Table.from_arrow(pa.table({"a": [[1], [2]], "b": [1, 2]}))
        assert [table.is_ordered(column) for column in table.columns] == [False, True]


class TestMinimalLaws:
    def test_a_small_table_by_hand(self) -> None:
        table = Table("abc", [(1, 1, 5), (1, 2, 5), (2, 3, 5)])
        assert texts(naive.minimal_keys(table)) == ["key {b}"]
        assert texts(naive.minimal_fds(table)) == ["{} -> c", "{b} -> a"]
        assert texts(naive.minimal_ods(table)) == ["{}: a asc ~ b asc"]
        table = Table("ab", [(1, 1), (1, 2), (2, 3)])
        assert texts(naive.minimal_pods(table)) == ["b = => never", "a < => b <"]
        assert sorted(map(str, naive.minimal_readings(table))) == [
            "a < => b <",
            "a > => b >",
            "b <= => a <=",
            "b = => a <",
            "b = => a =",
            "b = => a >",
            "b >= => a >=",
        ]

    def test_dcs_by_hand(self) -> None:
        table = Table("ab", [(1, 1), (2, 2)])
        assert texts(naive.minimal_dcs(table)) == [
            "not(t.a = s.a)",
            "not(t.b = s.b)",
            "not(t.a <= s.a and t.b >= s.b)",
        ]

    def test_cross_column_and_one_row_comparisons(self) -> None:
        table = Table("ab", [(1, 2), (3, 4)])
        assert "not(t.a >= t.b)" in texts(naive.minimal_dcs(table, [("tt", "a", "b")]))
        assert "not(t.a = s.b)" in texts(naive.minimal_dcs(table, [("ts", "a", "b")]))

    @pytest.mark.parametrize("rows", [[], [(1, 2)]])
    def test_every_law_holds_without_pairs(self, rows: list[tuple[object, ...]]) -> None:
        table = Table("ab", rows)
        assert texts(naive.minimal_keys(table)) == ["key {}"]
        assert texts(naive.minimal_fds(table)) == ["{} -> a", "{} -> b"]
        assert texts(naive.minimal_ods(table)) == []
        assert texts(naive.minimal_pods(table)) == ["=> never"]
        assert texts(naive.minimal_dcs(table)) == ["not()"]
        assert naive.error(parse("not()"), table) == 0.0

    def test_two_equal_rows_have_no_key(self) -> None:
        assert naive.minimal_keys(Table("ab", [(1, 2), (1, 2)])) == set()


class TestDocumentation:
    """The statements of docs/laws.md about its table."""

    ORDERS = Table(
        ["order", "customer", "city", "visit", "placed", "shipped", "stock"],
        [
            (1, "Ann", "Oslo", 1, 3, 4, 50),
            (2, "Bob", "Rome", 1, 3, 6, 48),
            (3, "Ann", "Oslo", 2, 5, 6, 47),
            (4, "Cid", "Rome", 1, 7, 9, 47),
            (5, "Bob", "Rome", 2, 8, 9, 40),
        ],
    )

    @pytest.mark.parametrize(
        "text",
        [
            "key {order}",
            "key {customer, visit}",
            "{customer} -> city",
            "{}: order asc ~ placed asc",
            "{}: order asc ~ stock desc",
            "{customer}: order asc ~ visit asc",
            "customer =, placed < => visit <",
            "placed < => order <",
            "not(t.placed > t.shipped)",
            "not(t.customer = s.customer and t.visit < s.visit and t.shipped > s.placed)",
        ],
    )
    def test_what_holds(self, text: str) -> None:
        assert holds(text, self.ORDERS)

    def test_what_breaks(self) -> None:
        assert naive.violations(parse("key {customer}"), self.ORDERS) == {(0, 2), (1, 4)}
        assert naive.violations(parse("{city} -> customer"), self.ORDERS) == {(1, 3), (3, 4)}
        assert naive.violations(parse("{}: order asc ~ visit asc"), self.ORDERS) == {(2, 3)}
        assert naive.violations(parse("order < => placed <"), self.ORDERS) == {(0, 1)}
        assert naive.violations(parse("not(t.visit < s.visit and t.shipped > s.placed)"), self.ORDERS) == {
            (1, 2),
            (3, 2),
            (3, 4),
        }
        assert naive.error(parse("{city} -> customer"), self.ORDERS) == pytest.approx(0.2)


VALUES = st.none() | st.integers(0, 2)
TABLES = st.builds(Table, st.just("ab"), st.lists(st.tuples(VALUES, VALUES), max_size=5))


def negated(operator: Operator) -> Operator:
    outcomes = frozenset("<=>") - OUTCOMES[operator]
    return next(other for other in OPERATORS if OUTCOMES[other] == outcomes)


def predicate(column: str, operator: Operator) -> Predicate:
    return Predicate(Cell("t", column), operator, Cell("s", column))


def as_dc(law: Law) -> DC:
    """Return the DC that says what a law over ordered columns says."""
    match law:
        case Key():
            return DC({predicate(column, "=") for column in law.columns})
        case FD():
            return DC({predicate(column, "=") for column in law.lhs} | {predicate(law.rhs, "!=")})
        case OD():
            sides = {predicate(law.left, "<"), predicate(law.right, "<" if law.descending else ">")}
            return DC({predicate(column, "=") for column in law.context} | sides)
        case POD():
            assert law.rhs is not None
            lhs = {predicate(term.column, term.operator) for term in law.lhs}
            return DC(lhs | {predicate(law.rhs.column, negated(law.rhs.operator))})
    raise TypeError(law)


@given(TABLES)
def test_other_laws_are_dcs(table: Table) -> None:
    laws: list[Law] = [*map(parse, ["key {a}", "{a} -> b", "{}: a asc ~ b asc", "{}: a asc ~ b desc"])]
    operators: list[Operator] = [operator for operator in OPERATORS if operator != "!="]
    laws += [parse(f"a {left} => b {right}") for left, right in product(operators, repeat=2)]
    for law in laws:
        assert naive.holds(law, table) == naive.holds(as_dc(law), table)
        if isinstance(law, OD):
            assert naive.error(law, table) == 2 * naive.error(as_dc(law), table)
        else:
            assert naive.error(law, table) == naive.error(as_dc(law), table)


@given(TABLES)
def test_minimal_dcs_hold_and_imply_all_that_hold(table: Table) -> None:
    minimal = naive.minimal_dcs(table)
    assert all(naive.holds(law, table) for law in minimal)
    for left, right in product(OPERATORS, repeat=2):
        law = DC({predicate("a", left), predicate("b", right)})
        assert naive.holds(law, table) == any(known.implies(law) for known in minimal)


@given(TABLES)
def test_minimal_pods_hold_and_imply_all_that_hold(table: Table) -> None:
    minimal = naive.minimal_pods(table)
    assert all(naive.holds(law, table) for law in minimal)
    operators = [operator for operator in OPERATORS if operator != "!="]
    for left, right in product(operators, repeat=2):
        law = parse(f"a {left} => b {right}")
        assert naive.holds(law, table) == any(known.implies(law) for known in minimal)
