"""The worked example tables of the papers that lawful builds on.

Row i of a table is the paper's tuple t_i, or t_(i+1) where the paper counts from 1. The tuples' names are no
column: no law should find them.
"""

from datetime import date

import pyarrow as pa

_HYOD_SAMPLES = {1: [4, 5, 7], 2: [0, 1, 3, 4], 3: [6, 7], 4: [0, 6, 7]}

_TAX = pa.schema(
    {
        "FName": pa.string(),
        "LName": pa.string(),
        "Date": pa.date32(),
        "SSN": pa.string(),
        "NUM": pa.int64(),
        "AC": pa.string(),
        "PH": pa.string(),
        "ST": pa.string(),
        "ZIP": pa.string(),
        "SAL": pa.int64(),
        "RATE": pa.float64(),
        "TXA": pa.int64(),
    }
)

_EMPLOYEES = pa.schema({"FN": pa.string(), "LN": pa.string(), "P": pa.string(), "S": pa.int64()})


def hyod_flights() -> pa.Table:
    """HyOD, table I: six flights. The times DT and AT are text such as 07:34, which sorts as time does."""
    schema = pa.schema(
        {
            "M": pa.int64(),
            "W": pa.int64(),
            "DT": pa.string(),
            "AT": pa.string(),
            "ET": pa.int64(),
            "MTOW": pa.int64(),
            "CAP": pa.int64(),
            "Type": pa.string(),
            "MC": pa.string(),
        }
    )
    return _table(
        schema,
        (1, 2, "07:34", "10:22", 168, 233, 253, "A330", "FR"),
        (1, 2, "07:34", "08:46", 72, 233, 253, "A330", "FR"),
        (1, 3, "07:34", "08:46", 72, 233, 253, "A330", "FR"),
        (1, 3, "09:05", "12:10", 185, 242, 293, "A330", "FR"),
        (1, 4, "06:22", "07:17", 55, 89, 204, "B738", "USA"),
        (2, 6, "10:10", "11:40", 90, 83, 185, "A321", "FR"),
    )


def hyod_r() -> pa.Table:
    """HyOD, table II: the instance r from which the samples are drawn."""
    schema = pa.schema({"A": pa.int64(), "B": pa.int64(), "C": pa.int64()})
    return _table(
        schema, (1, 4, 6), (1, 5, 6), (1, 6, 7), (2, 7, 6), (3, 7, 6), (4, 7, 7), (5, 6, 3), (6, 5, 7)
    )


def hyod_sample(number: int) -> pa.Table:
    """HyOD, tables III to VI: the sample r_1, r_2, r_3 or r_4 of `hyod_r`, rows in the paper's order."""
    return hyod_r().take(_HYOD_SAMPLES[number])


def incpod_tax() -> pa.Table:
    """IncPOD, table I: seven tax records. Numbers that only identify (SSN, AC, PH, ZIP) are text."""
    return _table(
        _TAX,
        _tax("Ali Sadam", date(2014, 4, 10), "719975883 1448 719 6059466 CO 80612 32000 1.24 3000"),
        _tax("Eser Duparc", date(2014, 2, 24), "303975883 1401 303 5872027 CO 80612 50000 1.42 1500"),
        _tax("Hennie Hannen", date(2014, 4, 13), "701178073 1486 701 1638673 ND 58671 30000 1.21 3400"),
        _tax("Rene Beke", date(2013, 4, 3), "801350874 1386 801 6192334 UT 84308 55000 2.04 1300"),
        _tax("Ali Sadam", date(2014, 3, 29), "719975883 1427 719 6059466 CO 80612 7500 1.21 0"),
        _tax("Hennie Hannen", date(2013, 4, 4), "701178073 1386 701 1638673 ND 58671 6500 0.24 900"),
        _tax("PerOlof Motwani", date(2015, 3, 24), "970122634 1547 970 8484643 CO 80209 95000 2.85 1100"),
    )


def incpod_tax_increment() -> pa.Table:
    """IncPOD, table II: the three records t_7, t_8 and t_9 that are inserted into `incpod_tax`."""
    return _table(
        _TAX,
        _tax("Yuichiro Uckun", date(2013, 3, 22), "435849162 1368 435 5872027 UT 84308 40000 1.42 3300"),
        _tax("Hennie Hannen", date(2014, 2, 18), "701178073 1478 701 1638673 ND 58671 33000 2.04 1400"),
        _tax("Rene Beke", date(2015, 2, 13), "801350874 1533 801 6192334 UT 84308 32000 1.23 3200"),
    )


def hydra_staff() -> pa.Table:
    """Hydra, table 1: five members of staff."""
    schema = pa.schema(
        {
            "ID": pa.int64(),
            "Name": pa.string(),
            "Department": pa.string(),
            "D-Code": pa.string(),
            "Hired": pa.int64(),
            "Salary": pa.int64(),
        }
    )
    return _table(
        schema,
        (103, "J. Miller", "Sales", "SAL", 2008, 3200),
        (197, "J. Miller", "Accounting", "ACT", 2012, 3500),
        (338, "P. Smith", "Sales", "SAL", 2012, 2900),
        (631, "S. Blake", "Accounting", "ACT", 2012, 3200),
        (664, "P. Dean", "Sales", "SAL", 2016, 2700),
    )


def distod_flights() -> pa.Table:
    """DISTOD, table 1: ten flights of one month; the delays of t_4 are NULL."""
    schema = pa.schema(
        {
            "Month": pa.int64(),
            "Day": pa.int64(),
            "OCode": pa.string(),
            "OFips": pa.int64(),
            "OState": pa.string(),
            "DepDelay": pa.int64(),
            "ArrDelay": pa.int64(),
            "ArrDelGrp": pa.int64(),
        }
    )
    return _table(
        schema,
        (12, 3, "CLE", 39, "Ohio", 80, 72, 4),
        (12, 14, "ORD", 17, "Illinois", -4, -10, -1),
        (12, 14, "JFK", 36, "New York", -6, 0, 0),
        (12, 16, "ORD", 17, "Illinois", 13, 59, 3),
        (12, 20, "CLE", 39, "Ohio", None, None, None),
        (12, 24, "ORD", 17, "Illinois", 5, -2, -1),
        (12, 27, "BWI", 24, "Maryland", -5, -23, -2),
        (12, 28, "ORD", 17, "Illinois", 57, 82, 5),
        (12, 30, "SGF", 29, "Missouri", 2, 0, 0),
        (12, 30, "ORD", 17, "Illinois", -5, -14, -1),
    )


def dynast_employees() -> pa.Table:
    """DynASt, table 1: the four rows before the batch.

    The paper prints the position of t_3 as Employer once and uses Employee, as here, everywhere else.
    """
    return _table(
        _EMPLOYEES,
        ("John", "Bond", "Manager", 2500),
        ("Marie", "Miller", "Manager", 3000),
        ("Marie", "Bond", "Employee", 2000),
        ("Tom", "Gray", "Manager", 3000),
    )


def dynast_batch() -> tuple[list[int], pa.Table]:
    """DynASt, table 1: the batch, as row numbers of `dynast_employees` to delete (t_4) and rows to insert."""
    inserted = _table(_EMPLOYEES, ("John", "Miller", "Employee", 2000), ("Anna", "Scott", "Manager", 3000))
    return [3], inserted


def _tax(name: str, day: date, rest: str) -> tuple[object, ...]:
    first, last = name.split()
    ssn, num, ac, ph, st, zip_code, sal, rate, txa = rest.split()
    return (first, last, day, ssn, int(num), ac, ph, st, zip_code, int(sal), float(rate), int(txa))


def _table(schema: pa.Schema, *rows: tuple[object, ...]) -> pa.Table:
    columns = [list(values) for values in zip(*rows, strict=True)]
    return pa.Table.from_pydict(dict(zip(schema.names, columns, strict=True)), schema=schema)
