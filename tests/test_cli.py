"""The command line as its users meet it: words in, output and an exit code back.

A command runs in this process, which has the imports behind it, unless the test is about what only a process
has: signals, pipes, a terminal, the encoding of its output, Spark that does not run yet.
"""

import contextlib
import errno
import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import psutil
import pytest
import typer
from rich.console import Console

from lawful import Laws, read
from lawful.cli import GROUPS, app, main
from lawful.cli.running import told_in_one_line
from lawful.discovery import options_of
from lawful.report.column_table import describe, print_columns

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
PEOPLE = "name,zip,born\nAda,00501,1815-12-10\nBob,10001,\n[red]x,00501,1990-01-01\n"


@dataclass(frozen=True)
class Done:
    """What is left of a command."""

    returncode: int
    stdout: str
    stderr: str


class Command(Protocol):
    """Runs `lawful` with some words behind it."""

    def __call__(self, *arguments: str | Path) -> Done: ...


@pytest.fixture
def lawful(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["lawful", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, errors = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Done(code, out, errors)

    return run


def in_a_process(*arguments: str | Path) -> Done:
    command = [sys.executable, "-m", "lawful", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def test_help_shows_commands_in_groups_each_with_an_example(
    lawful: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = lawful("--help")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line.endswith(":") and not line.startswith(" ")][1:] == [
        f"{group}:" for group in GROUPS
    ]
    for command in COMMANDS.values():
        assert any(re.fullmatch(rf"  {command.name} +\w.*", line) for line in lines)
        assert any(re.fullmatch(rf" +\$ lawful {command.name} .+", line) for line in lines)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_a_command_can_be_called(lawful: Command, name: str) -> None:
    """As far as their words go: the options exist, and their values are possible."""
    shown = lawful(name, "--help").stdout
    examples = re.findall(r"^    (lawful \w.*)$", shown.partition("Examples:\n")[2], re.M)
    assert examples[0].startswith(f"lawful {name} ")
    for example in examples:
        _, command, *words = shlex.split(example, comments=True)
        COMMANDS[command].make_context(command, words)


def test_version() -> None:
    """In a process, which shows that `python -m lawful` is the command."""
    done = in_a_process("--version")
    assert (done.returncode, done.stdout) == (0, "lawful 0.1.0\n")


def test_columns(lawful: Command, people: Path) -> None:
    done = lawful("columns", people)
    assert (done.returncode, done.stderr) == (0, "")
    title, *table = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert " ".join(title) == f"{people}: 3 rows x 3 columns"
    assert table[0] == ["#", "column", "type", "ordered", "distinct", "NULLs", "sample", "values"]
    assert table[2] == ["1", "name", "string", "yes", "3", "0", "Ada,", "Bob,", "[red]x"]
    assert table[3] == ["2", "zip", "string", "yes", "2", "0", "00501,", "10001"]
    assert table[4] == ["3", "born", "date", "yes", "2", "1", "1815-12-10,", "1990-01-01"]
    assert done.stdout.splitlines()[-2:] == [
        "note: zip: values with leading zeros, such as '00501', are kept as text; "
        "--type zip=integer reads them as numbers",
        "note: texts are ordered by code point (Z before a, 10 before 9): name, zip",
    ]


def test_columns_as_json(lawful: Command, people: Path) -> None:
    done = lawful("columns", people, "--json", "--type", "zip=string", "--unordered", "zip")
    found = json.loads(done.stdout)
    assert found["rows"] == 3
    assert found["columns"][1] == {
        "position": 2,
        "name": "zip",
        "type": "string",
        "ordered": False,
        "distinct": 2,
        "nulls": 0,
        "sample": ["00501", "10001"],
    }
    assert found["notes"] == ["texts are ordered by code point (Z before a, 10 before 9): name"]


DOUBTFUL = """# made by hand
zip,day,price,count
01234,01/02/2024,"1.234,50 €","1,234"
1234,02/03/2024,"3,00 €",N/A
99999,12/11/2023,,"2,345"
"""


def test_columns_read_as_asked(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "doubtful.csv"
    path.write_text(DOUBTFUL, encoding="utf-8")
    words = ["--comment", "#", "--null", "N/A", "--decimal", ",", "--date-format", "dd/MM/yyyy"]
    found = json.loads(lawful("columns", path, "--json", *words, "--type", "zip=integer").stdout)
    assert [(column["type"], column["nulls"]) for column in found["columns"]] == [
        ("integer", 0),
        ("date", 0),
        ("decimal", 1),
        ("decimal", 1),
    ]
    assert found["columns"][1]["sample"][0] == "2023-11-12"
    assert found["notes"] == [
        "price: '1.234,50 €' is read as the number 1234.50",
        "count: '1,234' is read as the number 1.234",
    ]


def test_a_search_begins_with_what_could_be_misread(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "doubtful.csv"
    path.write_text(DOUBTFUL, encoding="utf-8")
    done = lawful("discover", path, "--comment", "#", "--kinds", "key")
    assert done.returncode == 0
    notes = [line.partition(": ")[2][:35] for line in done.stderr.splitlines()]
    assert notes == [
        "zip: values with leading zeros, suc",
        "day: '01/02/2024' could be day or m",
        "price: '1.234,50 €' is read as the ",
        "count: text because of 'N/A'; if th",
    ]
    with_order = lawful("discover", path, "--comment", "#", "--kinds", "od").stderr.splitlines()
    assert with_order[-1].startswith("note: texts are ordered by code point (Z ")
    assert lawful("discover", path, "--comment", "#", "--kinds", "pod").stderr == done.stderr
    wide = tmp_path / "wide.csv"
    wide.write_text(",".join(f"c{n}" for n in range(9)) + "\n" + ",".join(f"0{n}" for n in range(9)) + "\n")
    told = lawful("discover", wide, "--kinds", "key").stderr.splitlines()
    assert len(told) == 7
    assert told[-1] == f"note: and 3 more: lawful columns {wide} shows them"


def test_names_are_never_cut_where_there_is_no_terminal(lawful: Command, tmp_path: Path) -> None:
    name = "a very long name " * 20 + "end"
    path = tmp_path / "wide.csv"
    path.write_text(f"{name},b\n1,2\n")
    assert name in lawful("columns", path).stdout


def test_values_cannot_disturb_a_terminal(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "escape.csv"
    path.write_text("a,b\n\x1b[31mred,2\n")
    shown = lawful("columns", path).stdout
    assert "\x1b" not in shown
    assert "\\x1b[31mred" in shown


def test_spark_options_reach_spark(people: Path) -> None:
    """In processes where no Spark runs, which would be used or refused before they are looked at."""
    done = in_a_process("columns", people, "--master", "local[0]x")
    assert done.returncode == 2
    assert done.stderr.startswith("lawful: 'local[0]x' is not a Spark master: use local[4]")
    done = in_a_process("columns", people, "--conf", "executor.memory=1g")
    assert done.returncode == 2
    assert done.stderr.startswith("lawful: 'executor.memory' is not a Spark setting")


@pytest.mark.parametrize("option", ["--conf", "--type", "--property"])
def test_a_pair_without_value_is_refused(lawful: Command, option: str, people: Path) -> None:
    done = lawful("columns", people, option, "key")
    assert done.returncode == 2
    assert done.stderr == f"lawful: {option} 'key' has no key=value: write {option} key=value\n"


def test_an_error_is_one_line_without_traceback(lawful: Command, tmp_path: Path) -> None:
    done = lawful("columns", tmp_path / "none.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lawful: ")
    assert done.stderr.count("\n") == 1


def test_debug_shows_the_traceback(lawful: Command, tmp_path: Path) -> None:
    done = lawful("columns", tmp_path / "none.csv", "--debug")
    assert done.returncode == 2
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert done.stderr.splitlines()[-1].startswith("lawful: ")


def test_wrong_usage_exits_with_2(lawful: Command) -> None:
    assert lawful("columns").returncode == 2
    assert lawful("no-such-command").returncode == 2


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_full_disk_behind_the_output_is_told(people: Path, form: list[str], unbuffered: str) -> None:
    command = [sys.executable, "-m", "lawful", "columns", str(people), *form]
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=env, timeout=300)
    assert done.returncode == 2
    assert done.stderr.startswith("lawful: the output cannot be written (No space left on device)")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_leaves_gets_no_complaint(people: Path) -> None:
    command = [sys.executable, "-m", "lawful", "columns", str(people)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    running.stdout.close()
    assert running.stderr is not None
    with running.stderr as errors:
        assert errors.read() == ""
    assert running.wait(timeout=60) == 1


def test_output_without_unicode_shows_codes(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text("größe,b\n1,2\n")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "lawful", "columns", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert "gr\\xf6\\xdfe" in done.stdout


def test_an_unexpected_error_is_one_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as exit_, told_in_one_line(debug=False):
        raise RuntimeError("first line\nsecond line")
    assert exit_.value.exit_code == 2
    told = "lawful: unexpected RuntimeError: first line (run with --debug for the traceback)\n"
    assert capsys.readouterr().err == told


def test_a_place_where_nothing_can_be_written_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as exit_, told_in_one_line(debug=False):
        raise OSError(errno.EROFS, "as the system says it", "state/lock")
    assert exit_.value.exit_code == 2
    assert capsys.readouterr().err.startswith(
        "lawful: read-only file system ('state/lock'): look at the folder"
    )


def test_an_error_that_ctrl_c_brought_up_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    error = AttributeError("half imported")
    error.__context__ = KeyboardInterrupt()
    with pytest.raises(typer.Exit) as exit_, told_in_one_line(debug=False):
        raise error
    assert exit_.value.exit_code == 130
    assert capsys.readouterr().err == ""


def test_ctrl_c_exits_quietly_with_130() -> None:
    """While it waits for more to read."""
    command = [sys.executable, "-m", "lawful", "columns", "-"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    # Whoever runs tests in the background may have them ignore Ctrl-C.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, **pipes, text=True, preexec_fn=heard) as running:
        process = psutil.Process(running.pid)
        while not any(file.path.endswith("piped-in.csv") for file in process.open_files()):
            assert running.poll() is None
        while process.status() != psutil.STATUS_SLEEPING:  # a signal just before it reads is heard after that
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
        assert running.stdout is not None
        assert running.stderr is not None
        assert (running.stdout.read(), running.stderr.read()) == ("", "")


INSTALLED = [str(Path(sys.executable).with_name("lawful"))]


@pytest.mark.parametrize("start", [INSTALLED, ["-m", "lawful"]], ids=["installed", "module"])
def test_ctrl_c_is_heard_while_modules_are_read(people: Path, start: list[str]) -> None:
    """By a command that has nothing to tell."""
    command = [sys.executable, "-X", "importtime", *start, "columns", str(people)]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heard
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        while "llvmlite" not in (line := running.stderr.readline()):  # read early, long before the end
            assert line.startswith("import time:")
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130
        assert running.stdout.read() == ""
        assert all(line.startswith("import time:") for line in running.stderr.read().splitlines())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("discover {people} --max-size x", "invalid value for '--max-size': .* (see lawful discover --help)"),
        ("check {people} --foo", "no such option: --foo.* (see lawful check --help)"),
        ("discover", "missing argument 'source' (see lawful discover --help)"),
        ("discover {people} --max-size", "option '--max-size' requires an argument (see lawful --help)"),
        ("discover {people} again", "got unexpected extra argument.* (see lawful discover --help)"),
        (
            "discover {people} --error-measure lines",
            "invalid value for '--error-measure': 'lines' is not one of .* (see lawful discover --help)",
        ),
        ("disc {people}", "no such command 'disc'.* (see lawful --help)"),
        ("--foo", "no such option: --foo (see lawful --help)"),
    ],
)
def test_wrong_words_are_told_in_one_line(lawful: Command, people: Path, words: str, told: str) -> None:
    done = lawful(*words.format(people=people).split())
    assert (done.returncode, done.stdout) == (2, "")
    pattern = told.replace("(", r"\(").replace(")", r"\)")
    assert re.fullmatch(f"lawful: {pattern}\n", done.stderr)


def test_discover_prints_the_laws_by_kind(lawful: Command, people: Path) -> None:
    done = lawful("discover", "--all", people)
    assert done.returncode == 0
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "Keys (2)" in lines
    assert "key {name} fact" in lines
    assert any(re.fullmatch(r"\{born\} -> zip \d+ 0", line) for line in lines)
    assert lines[0] == "- no two rows have the same name"
    assert "{}: born asc ~ name asc 1" not in lines
    assert lines[-1].startswith("3 rows x 3 columns: 2 keys, 4 functional dependencies, ")


def test_discover_prints_json(lawful: Command, people: Path) -> None:
    found = json.loads(lawful("discover", "--all", people, "--json", "--kinds", "key, fd").stdout)
    assert found["complete"] is True
    assert found["counts"] == {"key": 2, "fd": 4}
    key = {"kind": "key", "text": "key {born}", "columns": ["born"], "size": 1, "score": 0.0, "bits": 0.0}
    assert {**key, "fact": True} in found["laws"]
    assert found["stats"]["rows"] == 3
    assert set(found["seconds"]) == {"read", "discover", "sample", "key and fd", "score", "bits"}


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "parquet"])
def test_discover_writes_files(lawful: Command, people: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"laws.{ending}"
    done = lawful("discover", "--all", people, "--out", out, "--max-size", "1")
    assert done.returncode == 0
    assert "(incomplete: max size)" in done.stdout
    laws = Laws.load(out)
    assert [str(law) for law in laws] == ["key {name}", "key {born}"]
    assert not laws.complete


def test_discover_shows_the_best_laws(lawful: Command, people: Path) -> None:
    lines = lawful("discover", "--all", people, "--top", "1").stdout.splitlines()
    laws = [line.split("  ")[0] for line in lines if line.startswith((" key ", " {"))]
    assert [law[:5] for law in laws] == [" key ", " {bor", " {}: "], "one of each kind"
    none = lawful("discover", "--all", people, "--top", "0").stdout.splitlines()
    assert [line[0] for line in none if line] == ["-", "3"]
    almost = lawful("discover", people, "--error", "0.1", "--min-bits", "0", "--top", "0").stdout
    assert almost.startswith("and ")
    assert lines[-1].startswith("3 rows x 3 columns: 2 keys, 4 functional dependencies, ")


def test_the_summary_says_what_was_asked(lawful: Command, people: Path) -> None:
    asked = lawful("discover", people, "--min-bits", "12.5").stdout.splitlines()[-1]
    assert re.fullmatch(r".* of at least 12.5 bits in \d+\.\d+ s; --all finds the others", asked)
    found = json.loads(lawful("discover", people, "--min-bits", "12.5", "--json").stdout)
    assert found["complete"]
    assert {"min_bits": 12.5, "every_column": False}.items() <= found["options"].items()
    for words in (["--all"], ["--min-bits", "0"]):
        assert "bits" not in lawful("discover", people, *words).stdout.splitlines()[-1]
    both = lawful("discover", people, "--all", "--min-bits", "3", "--json").stdout
    assert {"min_bits": 3.0, "every_column": True}.items() <= json.loads(both)["options"].items()


@pytest.mark.parametrize(
    ("order", "best"), [("bits", "{zip} -> born"), ("score", "{zip} -> born"), ("size", "{zip} -> born")]
)
def test_laws_are_sorted_as_asked(lawful: Command, people: Path, order: str, best: str) -> None:
    people.write_text("name,zip,born\nAda,1,1815\nBob,1,1815\nCyd,2,1816\nDan,3,1816\n")
    words: list[str | Path] = ["discover", people, "--all", "--kinds", "key,fd", "--sort", order]
    shown = json.loads(lawful(*words, "--json").stdout)["laws"]
    for kind in ("key", "fd"):
        numbers = [law[order] for law in shown if law["kind"] == kind and law["size"] > 1]
        assert numbers == sorted(numbers, reverse=order != "size")
    (key, fd) = json.loads(lawful(*words, "--json", "--top", "1").stdout)["laws"]
    assert (key["text"], fd["text"]) == ("key {name}", best)
    assert lawful(*words, "--sort", "name").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--kinds", "key,ind"], "unknown kind of law 'ind': choose among key, fd, od, pod, dc"),
        (["--time-limit", "soon"], "time-limit 'soon' is no amount: write it as in 90s, 5m or 1h"),
        (["--memory-limit", "4XB"], "memory-limit '4XB' is no amount: write it as in 800MB or 4GB"),
        (["--memory-limit", "3"], "memory-limit '3' is too few bytes: give a unit, as in 3GB"),
        (["--max-size", "-1"], "max-size must be at least 0, not -1"),
        (["--min-score", "2"], "min-score must be between 0 and 1, not 2.0"),
        (["--min-bits", "-1"], "min-bits must be at least 0, not -1.0"),
        (["--min-bits", "nan"], "min-bits must be at least 0, not nan"),
        (["--top", "-1"], "top must be at least 0, not -1"),
        (["--out", "laws.txt"], "cannot tell the format of 'laws.txt'"),
        (["--out", "no/such/folder/laws.json"], "cannot write 'no/such/folder/laws.json'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_discover_refuses_bad_options_in_one_line(
    lawful: Command, people: Path, arguments: list[str], told: str
) -> None:
    done = lawful("discover", people, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"lawful: {told}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("1.5m", 90), ("2h", 7200), (" 5 M ", 300)]
)
def test_durations(text: str, seconds: float) -> None:
    assert options_of("fd", time_limit=text).time_limit == seconds


@pytest.mark.parametrize(
    ("text", "size"), [("2097152", 2 << 20), ("1KB", 1024), ("1.5g", 3 << 29), ("2 mb", 2 << 20)]
)
def test_sizes(text: str, size: int) -> None:
    assert options_of("fd", memory_limit=text).memory_limit == size


def _ended_by_ctrl_c(folder: Path, *words: str) -> tuple[int, str]:
    """The exit code of a search that would never end, and what its terminal was told after Ctrl-C."""
    table = folder / "wide.csv"
    random = np.random.default_rng(0).integers(0, 2, (1000, 70))
    np.savetxt(table, random, "%d", ",", header=",".join(f"c{n}" for n in range(70)), comments="")
    terminal, line = pty.openpty()
    command = [sys.executable, "-m", "lawful", "discover", str(table), "--kinds", "fd", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=line) as running:
        os.close(line)
        shown, told = b"", b""
        while not re.search(rb"[1-9][0-9,]* laws found", shown):
            shown += os.read(terminal, 1 << 16)
        running.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # the end of a terminal
            while more := os.read(terminal, 1 << 16):
                told += more
        code = running.wait(timeout=120)
    os.close(terminal)
    return code, told.decode()


@pytest.mark.slow
def test_ctrl_c_keeps_the_laws_found(tmp_path: Path) -> None:
    out = tmp_path / "laws.json"
    assert _ended_by_ctrl_c(tmp_path, "--all", "--out", str(out))[0] == 130
    laws = Laws.load(out)
    assert len(laws) > 0
    assert laws.facts.reason == "interrupted"


@pytest.mark.slow
def test_ctrl_c_before_there_is_a_state_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "wide.state"
    code, told = _ended_by_ctrl_c(tmp_path, "--state", str(folder))
    assert code == 130
    assert "lawful: interrupted: no state was made" in told
    assert not folder.exists()


def test_a_closed_standard_input_is_told(lawful: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    done = lawful("columns", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lawful: nothing is piped in: ")


def test_laws_that_hold_almost_replace_their_own_file(lawful: Command, people: Path, tmp_path: Path) -> None:
    for _ in range(2):
        done = lawful("discover", people, "--error", "0.1", "--quiet", "--out", tmp_path / "almost.json")
        assert (done.returncode, done.stderr) == (0, "")


def test_a_search_never_writes_over_its_source(lawful: Command, people: Path) -> None:
    before = people.read_bytes()
    for out in (people, people.parent / "." / people.name):
        for more in ([], ["--force"]):
            done = lawful("discover", people, "--out", out, *more)
            assert done.returncode == 2
            assert done.stderr.endswith("is what is read: choose another --out\n")
    done = lawful("discover", people.parent / "*.csv", "--out", people, "--force")
    assert "is what is read" in done.stderr
    assert people.read_bytes() == before


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "parquet"])
def test_a_file_that_lawful_did_not_write_is_replaced_only_by_force(
    lawful: Command, people: Path, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"precious.{ending}"
    out.write_text('{"mine": 1}\n')
    done = lawful("discover", people, "--out", out)
    assert done.returncode == 2
    assert done.stderr.endswith("exists, and lawful did not write it: choose another --out, or --force\n")
    assert out.read_text() == '{"mine": 1}\n'
    assert lawful("discover", people, "--out", out, "--force").returncode == 0
    assert lawful("discover", people, "--out", out).returncode == 0, "its own file"
    assert Laws.load(out).complete


def test_facts_that_lawful_did_not_write_are_not_replaced(
    lawful: Command, people: Path, tmp_path: Path
) -> None:
    (tmp_path / "laws.facts.json").write_text('{"mine": 1}')
    done = lawful("discover", people, "--out", tmp_path / "laws.csv")
    assert "laws.facts.json' exists, and lawful did not write it" in done.stderr
    assert not (tmp_path / "laws.csv").exists()


def test_a_finished_search_of_another_table_is_not_resumed(
    lawful: Command, people: Path, tmp_path: Path
) -> None:
    out, other = tmp_path / "laws.jsonl", tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n3,4\n")
    assert lawful("discover", "--all", people, "--out", out).returncode == 0
    before = out.read_bytes()
    done = lawful("discover", "--all", other, "--out", out, "--resume")
    assert done.returncode == 2
    assert "is of a search with other columns: resume with the same table" in done.stderr
    assert out.read_bytes() == before
    again = json.loads(lawful("discover", "--all", people, "--out", out, "--resume", "--json").stdout)
    assert again["stats"]["validated"] == 0, "all is settled"
    assert again["laws"] == [law for law in map(json.loads, before.splitlines()) if "size" in law]


def test_what_a_filter_hides_is_counted(lawful: Command, people: Path) -> None:
    done = lawful("discover", "--all", people, "--min-score", "0.01", "--kinds", "key")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("3 rows x 3 columns: 0 keys in ")
    assert lines[0].endswith("(incomplete: filtered)")
    assert lines[1] == "2 keys hidden by --min-score"
    told = json.loads(lawful("discover", "--all", people, "--min-score", "0.01", "--json").stdout)
    assert told["hidden"]["key"] == 2


def test_only_laws_about_a_column(lawful: Command, people: Path) -> None:
    found = json.loads(lawful("discover", "--all", people, "--about", "zip", "--json").stdout)
    everything = json.loads(lawful("discover", "--all", people, "--json").stdout)
    assert found["laws"] == [law for law in everything["laws"] if "zip" in law["text"]]
    assert 0 < len(found["laws"]) < len(everything["laws"])
    assert not found["complete"]
    done = lawful("discover", "--all", people, "--about", "zap")
    assert (done.returncode, done.stderr) == (
        2,
        "lawful: about: there is no column 'zap': did you mean 'zip'?\n",
    )


@pytest.mark.parametrize("kinds", ["key", "fd", "od", "pod", "dc"])
def test_columns_are_chosen_for_every_kind(lawful: Command, people: Path, kinds: str) -> None:
    people.write_text("name,born,zip,rank\nann,1,1,2\nbob,2,1,1\ncy,3,2,2\n")
    for chosen in (["--columns", "name,zip,rank"], ["--exclude", "born"]):
        found = json.loads(lawful("discover", "--all", people, "--kinds", kinds, *chosen, "--json").stdout)
        assert found["laws"]
        assert not any("born" in law["text"] for law in found["laws"])
    for option in ("--columns", "--exclude"):
        done = lawful("discover", "--all", people, "--kinds", kinds, option, "nome")
        assert done.returncode == 2
        assert done.stderr.startswith(f"lawful: {option[2:]}: there is no column 'nome': did you mean 'name'")


def test_no_key_has_its_reason(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("a,b,c\n1,1,x\n1,2,x\n2,1,x\n1,2,x\n2,1,x\n2,1,x\n")
    lines = lawful("discover", "--all", path, "--kinds", "key").stdout.splitlines()
    assert lines[0] == "- no key: rows 2 and 4 are identical, and 3 rows in all repeat others"
    assert lines[1] == "- without repeated rows {a, b} would be a key"
    found = json.loads(lawful("discover", "--all", path, "--json").stdout)
    assert found["duplicates"] == {"rows": 3, "example": [2, 4], "nearest": [["a", "b"]]}
    path.write_text("a,b\n1,1\n1,2\n2,1\n")
    bounded = lawful("discover", "--all", path, "--kinds", "key", "--max-size", "1").stdout.splitlines()
    assert bounded[0] == "- no key of at most 1 column"


def test_there_is_nothing_to_learn_from_no_rows(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("a,b,c\n")
    lines = lawful("discover", path).stdout.splitlines()
    assert lines[:2] == ["- no rows: nothing to learn, every law holds", ""]
    assert lines[-1].startswith("0 rows x 3 columns: 1 key, 3 functional dependencies")


def test_nothing_would_be_a_key_of_no_columns(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n2\n")
    assert "would be a key" not in lawful("discover", path, "--exclude", "a").stdout


def test_long_names_are_shortened_on_a_terminal(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x" * 5000 + "\n1\n")
    whole = lawful("columns", path).stdout
    assert whole.startswith(f"{path}: 1 row x 1 column\n")
    assert "x" * 5000 in whole
    out = io.StringIO()
    print_columns(describe("t", read(path)), Console(file=out, force_terminal=True, width=200))
    assert f" {'x' * 59}…  " in out.getvalue()


def test_equivalent_columns_are_laws_too(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{row % 7},{row % 7 + 1}\n" for row in range(50)))
    done = lawful("discover", path, "--kinds", "fd")
    assert "- equivalent columns, of which laws name the first: a <-> b" in done.stdout
    assert "columns: 0 more functional dependencies of " in done.stdout


def test_a_table_that_may_be_dirty_has_a_hint(lawful: Command, tmp_path: Path) -> None:
    path, hint = tmp_path / "t.csv", "--error auto finds laws that hold but for a few rows"
    lines = [f"{row % 7},{row % 7 // 2}\n" for row in range(200)]
    path.write_text("zip,city\n" + "".join(lines))
    assert hint not in lawful("discover", path).stdout
    path.write_text("zip,city\n" + "".join([*lines, "0,9\n"]))
    assert lawful("discover", path).stdout.splitlines()[-1].startswith(hint)


def test_the_file_gets_all_and_the_screen_the_best(lawful: Command, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "laws.json"
    everything = json.loads(lawful("discover", "--all", people, "--json").stdout)["laws"]
    some = json.loads(lawful("discover", "--all", people, "--top", "2", "--json", "--out", out).stdout)
    assert some["counts"] == {"key": 2, "fd": 2, "od": 2}
    assert not some["complete"]
    assert json.loads(out.read_text())["laws"] == everything
    lawful("discover", "--all", people, "--top", "2", "--out", out, "--out-top")
    assert json.loads(out.read_text())["laws"] == some["laws"]
    done = lawful("discover", "--all", people, "--out-top")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("lawful: --out-top needs --top and --out")


def test_quiet_prints_nothing(lawful: Command, people: Path, tmp_path: Path) -> None:
    done = lawful("discover", people, "--quiet", "--out", tmp_path / "laws.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(Laws.load(tmp_path / "laws.json")) > 0


def test_a_pipe_gets_the_short_output_and_on_demand_all_lines(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(
        ",".join(f"c{n}" for n in range(30)) + "\n" + "".join(f"{r}," * 29 + f"{r}\n" for r in "12")
    )
    short = lawful("discover", "--all", path, "--kinds", "key").stdout
    assert short.count("key {") == 20
    assert "and 10 more: --out FILE keeps all, --all-lines prints all" in short
    assert lawful("discover", "--all", path, "--kinds", "key", "--all-lines").stdout.count("key {") == 30


def test_escape_codes_in_names_and_values_reach_no_terminal(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "red.csv"
    path.write_bytes("\x1b[31mred,b\x9b2J\n\x1b]0;title\x07,1\ny\x1b[2J,2\n".encode())
    for words in (["columns"], ["discover"], ["discover", "--all-lines"], ["discover", "--json"]):
        done = lawful(words[0], path, *words[1:])
        assert done.returncode == 0
        assert not any(c in done.stdout + done.stderr for c in "\x1b\x9b\x07")
    assert 'e"\\x1b[31mred"' in lawful("discover", "--all", path).stdout
    done = lawful("discover", "--all", path, "--columns", "\x1b[31mbed")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    for ending in ("csv", "json", "jsonl"):
        out = tmp_path / f"laws.{ending}"
        lawful("discover", "--all", path, "--out", out)
        assert not any(c in out.read_text("utf-8") for c in "\x1b\x9b\x07")
        assert "\x1b[31mred" in Laws.load(out)[0].columns | Laws.load(out)[1].columns


def test_one_is_no_plural(lawful: Command, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("a\n1\n")
    assert (
        lawful("discover", "--all", path)
        .stdout.splitlines()[-1]
        .startswith("1 row x 1 column: 1 key, 1 functional dependency, 0 order dependencies in ")
    )
