"""What is different in a search for PODs: sets in which at most one comparison has a lone `!=`.

A lone `!=` is the atom "not =" without another one of its comparison. The minimal sets with at most one of
them need not be minimal hitting sets. Of two comparisons with a lone `!=` one must get "not <" or "not >":
these four atoms are an edge, too. And an order atom beside "not =" needs no edge of its own where another
comparison has a lone `!=`: without it there would be two. All other atoms need one. That is enough: where a
smaller POD hits all edges, some atom can go alone.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic

from lawful.cover.atoms import NOT_EQUAL, OF_PREDICATES
from lawful.kernels import kernel
from lawful.laws.comparisons import Flags, Ints
from lawful.words import Words, bit, has, put


class Stops(NamedTuple):
    """Sets that no result may contain, listed for each of their atoms; first[atom] is where a list starts."""

    sets: Words
    first: Ints
    ordered: Flags  # [comparison]: whether it has an order, where PODs are looked for


class StopsOfPods(NamedTuple):
    """The same where PODs are looked for: a type of its own, so that kernels are compiled for it."""

    sets: Words
    first: Ints
    ordered: Flags


def _of_pods(typing_context: Any, stops: Any) -> Any:
    """Whether PODs are looked for: known when a kernel is compiled, so that others pay nothing for them."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_constant(types.boolean, stops.instance_class is StopsOfPods)

    return types.boolean(stops), generate


of_pods: Any = intrinsic(_of_pods)


@kernel
def is_lone(members, atom):
    """Whether "not =" is the only atom of its comparison in a set."""
    return atom % OF_PREDICATES == NOT_EQUAL and not has(members, atom - 1) and not has(members, atom + 1)


@kernel
def count_lones(chosen, depth, members):
    """How many comparisons have a lone `!=`."""
    count = 0
    for position in range(depth):
        count += is_lone(members, chosen[position])
    return count


@kernel
def partners_of_lones(chosen, depth, members, ordered):
    """The order atoms of the first two comparisons with a lone `!=`: a POD has one of them."""
    partners, found = np.zeros(members.shape[0], np.uint64), 0
    for position in range(depth):
        atom = chosen[position]
        if found < 2 and is_lone(members, atom):
            found += 1
            if ordered[atom // OF_PREDICATES]:
                put(partners, atom - 1)
                put(partners, atom + 1)
    return partners


@kernel
def close_other_lones(free, members, atom, ordered):
    """After an atom that is a lone `!=` for good, free no other one that would be."""
    if is_lone(members, atom) and not ordered[atom // OF_PREDICATES]:
        for comparison in range(ordered.shape[0]):
            if not ordered[comparison]:
                unequal = comparison * OF_PREDICATES + NOT_EQUAL
                free[unequal >> 6] &= ~bit(unequal)


@kernel
def hits_more(missed, by_atom, by_other):
    """Whether one of two atoms hits a missed edge that the other does not hit."""
    some = np.uint64(0)
    for word in range(missed.shape[0]):
        some |= missed[word] & by_atom[word] & ~by_other[word]
    return some != 0


@kernel
def can_have_lone(chosen, depth, members, free, ordered):
    """Whether a set has a lone `!=`, or can get one."""
    if count_lones(chosen, depth, members) > 0:
        return True
    for atom in range(NOT_EQUAL, OF_PREDICATES * ordered.shape[0], OF_PREDICATES):
        if has(free, atom) and not has(members, atom - 1) and not has(members, atom + 1):
            return True
    return False


@kernel
def is_beside_unequal(members, atom):
    """Whether "not =" of an atom's comparison is in a set."""
    return has(members, atom - atom % OF_PREDICATES + NOT_EQUAL)


@kernel
def needs_no_edge(search, depth, atom, added, ordered):
    """Whether an atom may be without an edge of its own when another is added: an order atom of a POD.

    Its comparison has "not =" or can get it, and another one has a lone `!=` or can get that.
    """
    unequal = atom - atom % OF_PREDICATES + NOT_EQUAL
    if atom == unequal or not ordered[atom // OF_PREDICATES]:
        return False
    free = search.free[depth]
    if not has(search.members, unequal):
        if has(search.members, 2 * unequal - atom) or not has(free, unequal):
            return False
        if not hits_more(search.uncovered[depth], search.hit_by[unequal], search.hit_by[added]):
            return False
    return is_lone(search.members, added) or can_have_lone(
        search.chosen, depth, search.members, free, ordered
    )
