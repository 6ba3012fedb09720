"""How kernels are compiled, and the two bit operations that NumPy scalars lack.

Kernels are plain functions on flat arrays. They release the GIL, so threads run them on all cores,
and are cached on disk, so a second process (a Spark worker, say) does not compile them again.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

kernel: Callable[..., Any] = njit(cache=True, nogil=True, boundscheck=False)


@intrinsic
def bit_count(typing_context: Any, word: Any) -> Any:
    """Number of bits set in a 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """Position of the lowest bit set in a 64-bit word that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate
