"""The report's page in a real browser: what is seen, clicked, typed, printed. Skipped where there is none.

`make tools` brings axe-core, by which labels and contrast are checked too.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from browser import CHROMIUM, Browser, opened_browser

from lawful import Laws, discover, keep, read
from lawful.laws import FD, OD, Key, Law
from lawful.report.collection import Facts
from lawful.report.law_sentences import sentence
from lawful.report.page.page_document import Reported
from lawful.report.page.page_file import write_report
from lawful.report.page.page_making import suspect_cells
from lawful.report.ratings import Rating

AXE = Path(__file__).parents[2] / "build/node_modules" / "axe-core" / "axe.min.js"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")]
EVIL = "</script><img src=x onerror=document.title='evil'>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with opened_browser(tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture(scope="module")
def shops() -> pa.Table:
    """Shops: zip -> city -> country, sales rise with staff, a nasty name that follows from the zip."""
    rng = random.Random(7)
    zips = [rng.randrange(40) for _ in range(400)]
    staff = [rng.randrange(200) for _ in zips]
    columns: dict[str, list[Any]] = {
        "id": [*range(400)],
        "zip": zips,
        "city": [f"city {number // 4}" for number in zips],
        "country": [("NO", "IT", None)[number // 16] for number in zips],
        "staff": staff,
        "sales": [number**2 // 7 for number in staff],
        "year": [2024 for _ in zips],
        EVIL: [f"<b>{number % 8}</b>" for number in zips],
    }
    return pa.table(columns)


@pytest.fixture(scope="module")
def laws(shops: pa.Table) -> Laws:
    return discover(shops, ["key", "fd", "od", "pod", "dc"], max_size=3)


@pytest.fixture(scope="module")
def page(shops: pa.Table, laws: Laws, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, relation = tmp_path_factory.mktemp("page") / "shops.html", read(shops)
    write_report(Reported(laws, "shops.csv", relation, suspects=suspect_cells(relation)), path)
    return path


@pytest.fixture
def opened(browser: Browser, page: Path) -> Iterator[Browser]:
    browser.open(page)
    yield browser
    assert browser.console == []
    assert browser.run("document.title") == "shops.csv · lawful"  # no name became markup
    assert browser.run("document.querySelectorAll('img, b b, td b:not(code b)').length") == 0


def found(browser: Browser) -> int:
    """How many laws the page says it shows."""
    text = browser.run("document.querySelector('#found').textContent")
    return int(text.split()[0].replace(",", ""))


def shown(browser: Browser, what: str) -> list[str]:
    texts: list[str] = browser.run(
        f"[...document.querySelectorAll('#lines .open {what}')].map(one => one.textContent)"
    )
    return texts


def test_every_law_is_there_as_python_says_it(opened: Browser, laws: Laws) -> None:
    assert found(opened) == len(laws) > 20
    texts, sentences = shown(opened, "code"), shown(opened, ".sentence")
    while opened.run("document.querySelector('#pages button:last-child:not(:disabled)') !== null"):
        opened.click("#pages button:last-child")
        texts += shown(opened, "code")
        sentences += shown(opened, ".sentence")
    assert dict(zip(texts, sentences, strict=True)) == {str(law): sentence(law) for law in laws}
    assert texts[0] == "key {id}"


def test_typing_searches(opened: Browser, laws: Laws) -> None:
    opened.run("document.querySelector('#words').focus()")
    opened.type("City ZIP")
    about = [law for law in laws if {"zip", "city"} <= law.columns]
    assert found(opened) == len(about) > 0
    opened.run("document.querySelector('#words').select()")
    opened.type("{zip} ->")
    assert found(opened) == len([law for law in laws if "{zip} ->" in str(law)]) > 0
    opened.run("document.querySelector('#words').select()")
    opened.type("nothing like it")
    assert found(opened) == 0
    assert "take a filter back" in opened.run("document.querySelector('#lines').textContent")
    opened.click("#chosen button")
    assert found(opened) == len(laws)


@pytest.mark.parametrize("kind", ["key", "fd", "od", "dc"])
def test_filters_by_kind_size_and_bits(opened: Browser, laws: Laws, kind: str) -> None:
    opened.click(f"#kinds [data-kind={kind}]")
    assert found(opened) == laws.counts[kind]
    assert (
        opened.run(f"document.querySelector('#kinds [data-kind={kind}]').getAttribute('aria-pressed')")
        == "true"
    )
    choose(opened, "size", "2")
    assert found(opened) == len(laws.filter(kind=kind, max_size=2))
    opened.run("document.querySelector('#bits').focus()")
    for digit in "200":  # the field is not written to meanwhile
        opened.type(digit)
    assert found(opened) == len(laws.filter(kind=kind, max_size=2, min_bits=200))


def choose(browser: Browser, field: str, value: str) -> None:
    browser.run(
        f"(() => {{ const one = document.querySelector('#{field}'); one.value = '{value}'; "
        "one.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def test_a_click_on_a_column_shows_its_laws(opened: Browser, laws: Laws) -> None:
    opened.click("#cards li:nth-child(3) .name")
    assert found(opened) == len(laws.filter(column="city"))
    opened.click(".node[aria-label='Laws about country']")
    assert found(opened) == len(laws.filter(column="country"))
    opened.click("#chosen button")
    assert found(opened) == len(laws)


def test_a_click_on_an_arc_shows_what_links_its_columns(opened: Browser, laws: Laws) -> None:
    arcs = opened.run("[...document.querySelectorAll('.arc.determines')].map(one => one.dataset.ends)")
    assert "1 2" in arcs  # zip -> city
    assert opened.run(
        'document.querySelectorAll(\'.arc.rises[data-ends="5 4"], .arc.rises[data-ends="4 5"]\').length'
    )
    opened.run("document.querySelector('.arc[data-ends=\"1 2\"]').focus()")
    assert "have the same city" in opened.run("document.querySelector('#picture-said').textContent")
    opened.press("Enter")
    expected = [law for law in laws.filter(kind="fd") if {"zip", "city"} <= law.columns]
    assert found(opened) == len(expected)


def test_enter_opens_a_law_and_shows_rows(opened: Browser, shops: pa.Table) -> None:
    opened.run("document.querySelector('#words').focus()")
    opened.type("{zip} -> city")
    opened.run("document.querySelector('#lines .open').focus()")
    opened.press("Enter")
    assert opened.run("document.querySelector('#lines .open').getAttribute('aria-expanded')") == "true"
    detail = opened.run("document.querySelector('.detail').innerText")
    assert re.search(r"bits: chance makes such a law in one of 2\^\d+ searches\.", detail)
    assert "No exception among 400 rows." in detail
    rows = opened.run(
        "[...document.querySelectorAll('.detail tbody tr')]"
        ".map(line => [...line.children].map(one => one.textContent))"
    )
    assert len(rows) > 3
    for row, code, city in rows:
        own = shops.slice(int(row) - 1, 1).to_pylist()[0]
        assert (str(own["zip"]), own["city"]) == (code, city)
    opened.press("Enter")
    assert opened.run("document.querySelector('.detail')") is None


def test_sorting(opened: Browser, laws: Laws) -> None:
    opened.click("th.law button")
    texts = shown(opened, "code")
    assert texts == sorted(texts, key=str.lower)
    assert opened.run("document.querySelector('th.law').getAttribute('aria-sort')") == "ascending"
    choose(opened, "order", "size")
    sizes = [law.size for law in laws]
    first = next(law for law in laws if str(law) == shown(opened, "code")[0])
    assert first.size == min(sizes)


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_phones_and_colours(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.open(page, width, dark=dark)
    assert browser.run("document.documentElement.scrollWidth") <= width
    back = browser.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", back))) < 200) == dark
    assert browser.console == []


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_labels_and_contrast(browser: Browser, page: Path, width: int, dark: bool) -> None:
    browser.open(page, width, dark=dark)
    browser.click("#cards li:nth-child(2) .name")
    browser.click("#lines .open")
    browser.run(AXE.read_text("utf-8") + ";0")
    against = browser.run(
        "axe.run().then(told => JSON.stringify(told.violations.map(one => [one.id, one.nodes[0].html])))"
    )
    assert json.loads(against) == []


def test_printing_shows_more_laws_and_no_filters(opened: Browser) -> None:
    opened.run(
        "addEventListener('beforeprint', () => "
        "{ window.printed = document.querySelectorAll('#lines .open').length; })"
    )
    pdf = opened.printed()
    assert pdf.startswith(b"%PDF")
    assert opened.run("window.printed") == min(200, found(opened))


def test_fifty_thousand_laws_open_and_filter_within_a_second(browser: Browser, tmp_path: Path) -> None:
    rng, names = np.random.default_rng(3), [f"column_{number}" for number in range(40)]
    laws: dict[Law, Rating] = {}
    while len(laws) < 50_000:
        left, right, *context = rng.permutation(names)[: rng.integers(2, 8)].tolist()
        kinds = [FD({*context, left}, right), OD({*context}, left, right), Key({*context, left, right})]
        laws[kinds[len(laws) % 3]] = Rating(*rng.random(2))
    path = tmp_path / "many.html"
    Laws.of(names, laws.items(), Facts()).report(path)
    browser.call("Performance.enable", timeDomain="threadTicks")  # counts from here, or from a new page on
    browser.open(path)
    assert found(browser) == 50_000
    assert 0 < busy(browser) < 1
    for words in ("column_1", "{column_1, column_2} ->"):
        before = busy(browser)
        browser.run("document.querySelector('#words').value = ''; document.querySelector('#words').focus()")
        browser.type(words)
        assert 0 < found(browser) < 50_000
        assert busy(browser) - before < 1
    assert browser.console == []


def busy(browser: Browser) -> float:
    """The CPU seconds of the page's own thread so far."""
    metrics = {one["name"]: one["value"] for one in browser.call("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def test_the_history_of_a_state(browser: Browser, tmp_path: Path) -> None:
    state = keep(
        pa.table({"zip": [1, 1, 2], "city": ["Oslo", "Oslo", "Rome"]}), "fd", folder=tmp_path / "cities"
    )
    state.insert([{"zip": 1, "city": "Rome"}])
    state.report(tmp_path / "cities.html", all=True)
    browser.open(tmp_path / "cities.html")
    assert browser.run("document.querySelectorAll('#changes tbody tr').length") == 1
    assert "{zip} -> city held from version 0 to 0" in browser.run(
        "document.querySelector('#broken').innerText"
    )
    assert browser.console == []


def test_laws_that_fail(browser: Browser, tmp_path: Path) -> None:
    laws = discover(pa.table({"zip": [1, 1, 2, 3], "city": ["Oslo", "Oslo", "Rome", "Rome"]}), "fd", all=True)
    laws.report(
        tmp_path / "page.html", pa.table({"zip": [1, 1, 1, 3], "city": ["Oslo", "Oslo", "Rome", "Rome"]})
    )
    browser.open(tmp_path / "page.html")
    browser.click("#lines .open")
    line = browser.run("document.querySelector('#lines').innerText")
    assert "but for 25% of the rows" in line
    assert "without 1 row (25%) it holds" in line
    assert "likely wrong, at 3" in line
    assert browser.console == []


def test_a_key_that_fails_is_no_fact(browser: Browser, tmp_path: Path) -> None:
    laws = discover(pa.table({"id": [1, 2, 3, 4], "zip": [1, 2, 3, 4]}), "key", all=True)
    laws.report(tmp_path / "page.html", pa.table({"id": [1, 2, 3, 4], "zip": [1, 1, 2, 3]}))
    browser.open(tmp_path / "page.html")
    bits = "[...document.querySelectorAll('#lines .bits')].map((one) => one.innerText)"
    assert browser.run(bits) == ["fact", "0"]
    assert browser.console == []
