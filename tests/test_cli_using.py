"""The commands that use laws, as their users meet them."""

import json
from pathlib import Path

import pytest

from lawful import check, keep
from test_cli import Command, lawful

__all__ = ["lawful"]  # a fixture

ORDERS = "order,customer,city\n1,Ann,Oslo\n2,Bob,Rome\n3,Ann,Oslo\n4,Cid,Rome\n"


def test_normalize_takes_laws_or_a_table(lawful: Command, tmp_path: Path) -> None:
    table, laws, schema = tmp_path / "orders.csv", tmp_path / "laws.json", tmp_path / "schema.sql"
    table.write_text(ORDERS)
    assert lawful("discover", table, "--all", "--quiet", "--out", laws).returncode == 0
    done = lawful("normalize", laws, "--form", "bcnf", "--name", "sales", "--out", schema)
    assert (done.returncode, done.stdout) == (0, "")
    assert 'CREATE TABLE "sales_customer"' in schema.read_text()
    found = lawful("normalize", table)  # of so few rows only the key is no mere chance
    assert 'CREATE TABLE "orders_order"' in found.stdout
    assert found.stdout.startswith("-- third normal form, 1 part:\n")
    told = json.loads(lawful("normalize", laws, "--form", "bcnf", "--name", "sales", "--json").stdout)
    assert told["parts"][0] == {
        "name": "sales_customer",
        "columns": ["customer", "city"],
        "keys": [["customer"]],
    }
    assert (told["form"], told["lossless"], told["lost"]) == ("bcnf", True, [])
    assert told["sql"] == schema.read_text()


def test_what_normalize_cannot_read(lawful: Command, tmp_path: Path) -> None:
    done = lawful("normalize", tmp_path / "no.json")
    assert done.returncode == 2
    assert "no.json" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_orderby_prints_the_query_and_why(lawful: Command, tmp_path: Path) -> None:
    table, laws = tmp_path / "orders.csv", tmp_path / "laws.json"
    table.write_text(ORDERS)
    assert lawful("discover", table, "--all", "--quiet", "--out", laws).returncode == 0
    done = lawful("orderby", laws, "select * from t order by customer, city", "--index", "city")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "SELECT * FROM t ORDER BY customer"
    assert "-- index (city) is not known to serve it" in done.stdout
    join = "select t.order, u.x from t join u using (city) order by t.customer, t.city, u.x"
    told = json.loads(lawful("orderby", laws, join, "--name", "t", "--json").stdout)
    assert told["order_by"] == ["customer", '"u.x"']
    assert told["sql"].endswith("ORDER BY t.customer, u.x")
    assert [law["text"] for law in told["used"]] == ["{customer} -> city"]
    wrong = lawful("orderby", laws, "select * from t order by nothing")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("lawful: there is no column 'nothing'")
    assert lawful("orderby", laws, "select 1 from t", "--index", "a b").returncode == 2


def test_export_writes_a_file_or_a_folder(lawful: Command, tmp_path: Path) -> None:
    table, laws = tmp_path / "orders.csv", tmp_path / "laws.json"
    table.write_text(ORDERS)
    assert lawful("discover", table, "--all", "--quiet", "--out", laws).returncode == 0
    done = lawful("export", laws, "--to", "sql", "--name", "orders", "--top", "1")
    assert done.returncode == 0
    assert done.stdout.count("CREATE VIEW") == 2  # the law, and all that are broken
    assert lawful("export", laws, "--to", "dbt", "--out", tmp_path / "tests").returncode == 0
    assert "{{ ref('data') }}" in next((tmp_path / "tests").glob("law_1_*.sql")).read_text()
    told = lawful("export", laws, "--to", "dbt")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == "lawful: dbt takes a file for each law: name a folder with --out\n"


@pytest.mark.parametrize(
    "words", [("export", "--to", "sql"), ("normalize",), ("orderby", "select * from t order by city")]
)
def test_what_is_read_is_never_written_over(lawful: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    table, foreign = tmp_path / "orders.csv", tmp_path / "mine.sql"
    table.write_text(ORDERS)
    foreign.write_text("select 1")
    command, *rest = words
    done = lawful(command, table, *rest, "--out", table, "--force")
    assert (done.returncode, table.read_text()) == (2, ORDERS)
    assert done.stderr == f"lawful: {str(table)!r} is what is read: choose another --out\n"
    done = lawful(command, table, *rest, "--out", foreign)
    assert (done.returncode, foreign.read_text()) == (2, "select 1")
    assert done.stderr.endswith("exists, and lawful did not write it: choose another --out, or --force\n")
    assert lawful(command, table, *rest, "--out", foreign, "--force").returncode == 0
    assert foreign.read_text() != "select 1"


@pytest.mark.parametrize("tool", ["sql", "great-expectations", "dqx", "soda", "pandera", "deequ", "dbt"])
def test_an_export_replaces_an_export(lawful: Command, tmp_path: Path, tool: str) -> None:
    table, out = tmp_path / "orders.csv", tmp_path / "checks"
    table.write_text(ORDERS)
    for _ in range(2):
        assert lawful("export", table, "--to", tool, "--out", out).returncode == 0
    assert lawful("normalize", table, "--out", tmp_path / "new.sql").returncode == 0
    assert lawful("normalize", table, "--out", tmp_path / "new.sql").returncode == 0


def test_dbt_tests_leave_files_of_others_alone(lawful: Command, tmp_path: Path) -> None:
    table, folder = tmp_path / "orders.csv", tmp_path / "tests"
    table.write_text(ORDERS)
    assert lawful("export", table, "--to", "dbt", "--out", folder).returncode == 0
    mine = next(folder.glob("law_1_*.sql"))
    mine.write_text("select 1")
    assert lawful("export", table, "--to", "dbt", "--out", folder).returncode == 2
    assert mine.read_text() == "select 1"
    assert "is a file: name a folder" in lawful("export", table, "--to", "dbt", "--out", table).stderr


def test_what_is_no_query_is_told(lawful: Command, tmp_path: Path) -> None:
    table, laws = tmp_path / "orders.csv", tmp_path / "laws.json"
    table.write_text(ORDERS)
    assert lawful("discover", table, "--all", "--quiet", "--out", laws).returncode == 0
    told = lawful("orderby", laws, "selec * frm").stderr
    assert told.startswith("lawful: cannot read the query: it begins with 'selec', not with SELECT; ")
    told = lawful("orderby", laws, "select * from t where (").stderr
    assert told.startswith(
        "lawful: cannot read the query: something is missing before character 24 of line 1"
    )


def test_all_missing_columns_are_told_at_once(lawful: Command, tmp_path: Path) -> None:
    table = tmp_path / "orders.csv"
    table.write_text(ORDERS)
    done = lawful("check", table, "key {order}", "{zip} -> city", "{zip} -> town")
    assert done.returncode == 2
    assert done.stderr == (
        "lawful: 2 of 3 laws cannot be checked: there are no columns 'town' and 'zip': "
        "the columns are 'order', 'customer', 'city'\n"
    )


def test_a_state_is_no_table(lawful: Command, tmp_path: Path) -> None:
    table, state = tmp_path / "orders.csv", tmp_path / "orders.state"
    table.write_text(ORDERS)
    assert lawful("discover", table, "--quiet", "--state", state).returncode == 0
    for words in (("discover",), ("columns",)):
        done = lawful(words[0], state, *words[1:])
        assert done.returncode == 2
        assert done.stderr.startswith(f"lawful: {str(state)!r} is a state, not a table: lawful laws ")


def test_a_state_has_laws(lawful: Command, tmp_path: Path) -> None:
    """Wherever a file of laws is taken."""
    table, state = tmp_path / "orders.csv", tmp_path / "orders.state"
    table.write_text(ORDERS)
    lawful("discover", table, "--quiet", "--state", state)
    assert "-- key {order}\n" in lawful("export", state, "--to", "sql").stdout
    assert lawful("normalize", state).stdout.startswith("-- third normal form, 1 part:\n")
    done = lawful("explain", state, "key {order}")
    assert (done.returncode, "It holds" in done.stdout) == (0, True)
    done = lawful("check", table, state, "{customer} -> city")
    assert (done.returncode, "key {order}" in done.stdout) == (0, True)


def test_python_takes_the_laws_of_a_state(tmp_path: Path) -> None:
    table = tmp_path / "orders.csv"
    table.write_text(ORDERS)
    state = keep(table, folder=tmp_path / "orders.state")
    for given in (state, state.path, str(state.path), [state, "{customer} -> city"]):
        verdicts = check(table, given)
        assert verdicts.hold
        assert "key {order}" in map(str, (one.law for one in verdicts))
