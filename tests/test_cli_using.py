"""The commands that use laws, as their users meet them."""

import json
from pathlib import Path

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
