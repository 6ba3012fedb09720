"""How kernels are compiled.

Kernels are plain functions on flat arrays. They release the GIL, so threads run them on all cores,
and are cached on disk, so a second process (a Spark worker, say) does not compile them again.

A kernel that others call is a part of each of them, and so is what Numba brings itself: what Python calls is
optimised and becomes machine code as a whole. Numba by itself does that for every function with all that it
calls: small ones are optimised dozens of times, and a first run takes more than twice as long.

Numba notices a change of a kernel's own file, not of the kernels and constants that it takes from others, and
would go on with the old ones. So the compiled kernels of a module lie in a folder that is named after its
source and those of all that it imports.
"""

import fcntl
import gc
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache, cached_property
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numba
from llvmlite import binding
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.runtime.nrt import rtsys
from numba.core.target_extension import jit_registry
from numba.core.types import unliteral
from numba.core.types.functions import BaseFunction

from lawful.halting import leave_if_halted

_numba: Any = numba.config
_njit: Any = numba.njit  # whose types lack some options
_jit: Any = numba.jit
_unliteral: Any = unliteral
_registry: Any = jit_registry


Item = TypeVar("Item")

PACKAGE = Path(__file__).parent
TICK = 0.05  # seconds between two looks at what others do
IMPORTED = re.compile(r"^ *from (lawful[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


def _cache_folder() -> Path | None:
    """A writable folder for compiled kernels; None where there is none."""
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    wanted = [Path(_numba.CACHE_DIR)] if _numba.CACHE_DIR else [PACKAGE / "__pycache__", user / "lawful"]
    for folder in wanted:
        try:
            (folder / "kernels").mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder / "kernels"):
                return folder / "kernels"
        except OSError:
            continue
    return None


CACHE = _cache_folder()


def _sources() -> dict[str, bytes]:
    """The texts of all modules of lawful."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        place = file.relative_to(PACKAGE.parent).with_suffix("")
        found[".".join(place.parts).removesuffix(".__init__")] = file.read_bytes()
    return found


SOURCES = _sources()  # read now: while a process runs, they may change


@cache
def _imports(module: str) -> frozenset[str]:
    """The modules of lawful that a module takes something from."""
    found = set()
    for origin, names in IMPORTED.findall(SOURCES.get(module, b"").decode()):
        for name in re.findall(r"\w+", names):
            inner = f"{origin}.{name}"
            found.add(inner if inner in SOURCES else origin)
    return frozenset(found)


@cache
def _version(module: str) -> str:
    """A name for a module as it is now, with all that it imports, itself or through others."""
    known, new = set[str](), {module}
    while new:
        known |= new
        new = {name for source in new for name in _imports(source)} - known
    digest = hashlib.sha256(b"".join(SOURCES.get(name, b"") for name in sorted(known)))
    return f"{module.removeprefix('lawful.')}-{digest.hexdigest()[:16]}"


def is_known(compiled: Callable[..., Any]) -> bool:
    """Whether a kernel was compiled before, or is never kept."""
    name = f"*.{compiled.__name__}-*.nbi"
    return CACHE is None or any((CACHE / _version(compiled.__module__)).rglob(name))


class _Whole(JITCodeLibrary):
    """The code of a kernel that Python calls."""

    def _optimize_functions(self, module: Any) -> None:
        """Those that are here: Numba sets up passes for the mere names of all others, too."""
        codegen: Any = self._codegen
        module.data_layout = codegen._data_layout
        for function in module.functions:
            leave_if_halted()
            if not function.is_declaration:
                passes, builder = codegen._function_pass_manager()
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        """Nobody else sees what it took from others: one process would link all that have the same name.

        Numba numbers functions to tell namesakes apart, in each process anew: one that loads what two others
        compiled would sort where it is to tell the order.
        """
        leave_if_halted()
        super()._optimize_final_module()  # type: ignore[no-untyped-call]
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.linkonce_odr:
                function.linkage = "internal"
        leave_if_halted()

    def serialize_using_object_code(self) -> Any:
        """Machine code, with the mere names of its functions: nothing links them, and bodies load slowly."""
        name, kind, (code, _) = super().serialize_using_object_code()  # type: ignore[no-untyped-call]
        own = (one.name for one in self.get_defined_functions() if one.linkage == binding.Linkage.external)  # type: ignore[no-untyped-call]
        names = (f'define void @"{one}"() {{ unreachable }}' for one in own)
        return name, kind, (code, binding.parse_assembly("\n".join(names)).as_bitcode())


class _Part(_Whole):
    """The code of a kernel as part of others, which are optimised and become machine code as a whole."""

    def _optimize_final_module(self) -> None:
        """Left to the whole."""

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _Flags(Flags):
    """Flags that are soon compared: Numba looks them up hundreds of times for each function."""

    _HASH = hash(tuple(sorted(Flags.options)))  # as those of Numba have it

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Flags) and self._values == other._values
        return same or bool(super().__eq__(other))  # type: ignore[no-untyped-call]

    def __hash__(self) -> int:
        return self._HASH


class _PartCompiler(Compiler):
    """Compiles a kernel no further than those need it that call it."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        state = self.state
        state.flags = _Flags(state.flags)  # type: ignore[no-untyped-call]
        state.flags.no_compile = True
        state.library = _Part(state.targetctx.codegen(), function.__qualname__)  # type: ignore[no-untyped-call]
        compiled: Any = super().compile_extra(function)  # type: ignore[no-untyped-call]
        name = object().__dir__  # by which others know it: Numba asks for a builtin function of its own
        state.targetctx.insert_user_function(name, compiled.fndesc, [compiled.library])
        return compiled._replace(entry_point=name)


AS_PART = {"pipeline_class": _PartCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class _WholeCompiler(Compiler):
    """Compiles a kernel that Python calls; what Numba brings for it becomes a part."""

    running = 0  # Numba compiles one function at a time

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        state = self.state
        state.flags = _Flags(state.flags)  # type: ignore[no-untyped-call]
        state.library = _Whole(state.targetctx.codegen(), function.__qualname__)  # type: ignore[no-untyped-call]
        state.library.enable_object_caching()
        _WholeCompiler.running += 1
        try:
            return super().compile_extra(function)  # type: ignore[no-untyped-call]
        except BaseException:
            _Files.let_go()  # others would wait as long as this process lives, after a Ctrl-C, say
            raise
        finally:
            _WholeCompiler.running -= 1


def _own_jit(*arguments: Any, **options: Any) -> Any:
    """The decorator of the functions that Numba brings."""
    return _jit(*arguments, **{**options, **(AS_PART if _WholeCompiler.running else {})})


# Numba asks for the decorator of the target "generic" first, and has none.
_registry.setdefault("generic", _own_jit)


def _resolved_once(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """What `<` and the like return: Numba would go through dozens of rules whenever a kernel uses them."""
    known: dict[Any, Any] = {}

    def resolved(function: Any, context: Any, arguments: Any, keywords: Any) -> Any:
        if not _WholeCompiler.running:
            return resolve(function, context, arguments, keywords)
        key = function, tuple(arguments), tuple(keywords.items())
        if key not in known:
            known[key] = resolve(function, context, arguments, keywords)
        return known[key]

    return resolved


_functions: Any = BaseFunction
_functions.get_call_type = _resolved_once(_functions.get_call_type)


class _Inside:
    """A kernel for the kernels that call it: what Numba asks for to compile a call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _part(self) -> Any:
        return _njit(nogil=True, **AS_PART)(self._function)

    def get_call_template(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        # A literal 0 is an integer: a kernel is not compiled once more for it.
        plain = {name: _unliteral(argument) for name, argument in keywords.items()}
        return self._part.get_call_template(tuple(map(_unliteral, arguments)), plain)

    def get_overload(self, signature: Any) -> Any:
        return self._part.get_overload(signature)


class _Loading(FunctionCache):
    """A cache that loads what was compiled and no more: Numba would make ready to compile, for 0.2 s."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        return self._load_overload(signature, context)  # type: ignore[no-untyped-call]


class _Files:
    """The cache of a kernel as Numba asks for it, opened when it does: most kernels are never called.

    What one process compiles others wait for: who is first holds a lock until the kernel is in the cache.
    """

    _lock: IO[bytes] | None = None  # of this process, which compiles one kernel at a time

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @cached_property
    def _folder(self) -> Path:
        assert CACHE is not None
        return CACHE / _version(self._function.__module__)

    @cached_property
    def _opened(self) -> Any:
        others, _numba.CACHE_DIR = _numba.CACHE_DIR, str(self._folder)
        try:
            return _Loading(self._function)  # type: ignore[no-untyped-call]
        finally:
            _numba.CACHE_DIR = others

    def load_overload(self, signature: Any, context: Any) -> Any:
        """What was compiled for a signature; None, and the lock is held, where that is to be done."""
        found = self._opened.load_overload(signature, context)
        if found is None and _Files._lock is None:
            _Files._lock = self._locked()
            found = self._opened.load_overload(signature, context)
            if found is not None:
                self.let_go()
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled, and let others have it."""
        try:
            self._opened.save_overload(signature, compiled)
        finally:
            self.let_go()

    def _locked(self) -> IO[bytes] | None:
        try:
            self._folder.mkdir(exist_ok=True)
            lock = (self._folder / f"{self._function.__qualname__}.lock").open("wb")
            while not self._is_mine(lock):
                time.sleep(TICK)
                leave_if_halted()
        except OSError:  # no folder, or no locks in it: then it may be compiled twice
            return None
        return lock

    @staticmethod
    def _is_mine(lock: IO[bytes]) -> bool:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    @staticmethod
    def let_go() -> None:
        """Let others compile, or have what was compiled."""
        if _Files._lock is not None:
            _Files._lock.close()
            _Files._lock = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opened, name)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function on its first call, or take it from the cache."""
    compiled: Any = _njit(nogil=True, no_cfunc_wrapper=True, pipeline_class=_WholeCompiler)(function)
    if CACHE is not None:
        compiled._cache = _Files(function)
    inside = _Inside(function)
    compiled.get_call_template, compiled.get_overload = inside.get_call_template, inside.get_overload
    return cast(Callable[..., Any], compiled)


class _Uncollected(event.Listener):
    """Keeps the garbage collector away while kernels are compiled: it would take a fifth of the time."""

    def __init__(self) -> None:
        self._depth, self._was_on = 0, False

    def on_start(self, _: Any) -> None:
        if self._depth == 0:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, _: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._was_on:
            if gc.get_freeze_count() == 0:  # all that is new counts as old: else it is gone through at once
                gc.freeze()
                gc.unfreeze()
            gc.enable()


event.register("numba:compile", _Uncollected())  # type: ignore[no-untyped-call]


class _Heeding(event.Listener):
    """Looks at the flag before each pass of a compiler."""

    def on_start(self, _: Any) -> None:
        leave_if_halted()

    def on_end(self, _: Any) -> None:
        """Of no interest."""


event.register("numba:run_pass", _Heeding())  # type: ignore[no-untyped-call]


class _Listener(event.Listener):
    """Hears of every kernel that is compiled."""

    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def on_start(self, _: Any) -> None:
        self._tell()

    def on_end(self, _: Any) -> None:
        """Of no interest."""


def told_of_compiling(tell: Callable[[], None]) -> AbstractContextManager[Any]:
    """A block in which `tell` is called whenever a kernel is compiled, not taken from the cache."""
    told: AbstractContextManager[Any] = event.install_listener("numba:compile", _Listener(tell))
    return told
