"""Sets as words of 64 bits, one at a time and in bulk: sets of atoms, of columns, of edges, of evidence.

A set is a line of words; member k is the bit k % 64 of the word k // 64.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from lawful.arrays import copy_items
from lawful.kernels import kernel

Words = npt.NDArray[np.uint64]

ONE = np.uint64(1)
LAST = np.uint64(63)  # of the bits of a word
MIX = np.uint64(0x9E3779B97F4A7C15)


def _bit_count(typing_context: Any, word: Any) -> Any:
    """Number of bits set in a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


def _lowest_bit(typing_context: Any, word: Any) -> Any:
    """Position of the lowest bit set in a word that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


bit_count: Any = intrinsic(_bit_count)
lowest_bit: Any = intrinsic(_lowest_bit)


def words_for(members: int) -> int:
    """How many words a set of so many possible members takes: one at least."""
    return max(-(-members // 64), 1)


def bit_set(members: npt.NDArray[np.int64], words: int) -> Words:
    """Some numbers as a set."""
    bits = np.zeros(words * 64, np.uint8)
    bits[members] = 1
    packed: Words = np.packbits(bits, bitorder="little").view(np.uint64)
    return packed


def members_of(words: Words) -> npt.NDArray[np.int64]:
    """The members of a set, in order."""
    return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))


@kernel
def bit(k):
    """The bit of member k in its word."""
    return ONE << (np.uint64(k) & LAST)


@kernel
def has(words, k):
    """Whether a set has member k."""
    return (words[k >> 6] >> (np.uint64(k) & LAST)) & ONE != 0


@kernel
def put(words, k):
    """Add member k to a set."""
    words[k >> 6] |= bit(k)


@kernel
def members_into(members, chosen):
    """Write the members of a set one after the other; how many there are."""
    count = 0
    for w in range(members.shape[0]):
        rest = members[w]
        while rest:
            chosen[count] = w * 64 + lowest_bit(rest)
            count += 1
            rest &= rest - ONE
    return count


@kernel
def put_set(turned, number, members):
    """Put a set, by its number, where `turned` has, for each member, the sets that it is in."""
    for w in range(members.shape[0]):
        rest = members[w]
        while rest:
            turned[w * 64 + lowest_bit(rest), number >> 6] |= bit(number)
            rest &= rest - ONE


@kernel
def transposed(sets, capacity):
    """For each member the set of the sets that it is in, by their numbers, with room for so many sets."""
    turned = np.zeros((sets.shape[1] * 64, (capacity + 63) // 64), np.uint64)
    for k in range(sets.shape[0]):
        put_set(turned, k, sets[k])
    return turned


@kernel
def differ(first, second):
    """Whether two sets differ."""
    different = np.uint64(0)
    for w in range(first.shape[0]):
        different |= first[w] ^ second[w]
    return different != 0


@kernel
def meet(first, second):
    """Whether two sets have a member in common."""
    common = np.uint64(0)
    for w in range(first.shape[0]):
        common |= first[w] & second[w]
    return common != 0


@kernel
def is_subset(first, second):
    """Whether one set is a subset of another."""
    for w in range(first.shape[0]):
        if first[w] & ~second[w]:
            return False
    return True


@kernel
def mixed(hashed, word):
    """A hash with one more word in it."""
    product = (hashed ^ word) * MIX
    return product ^ (product >> np.uint64(32))


@kernel
def new_index(lines):
    """The slots of an index that stays at most half full with so many lines."""
    size = 4
    while size < 2 * lines:
        size *= 2
    return np.zeros(size, np.int32)


@kernel
def place_in(slots, lines, line):
    """The slot of a line in an index of lines: slots hold their numbers, counted from 1, and 0 if empty."""
    hashed = np.uint64(0)
    for w in range(line.shape[0]):
        hashed = mixed(hashed, line[w])
    mask = slots.shape[0] - 1
    slot = np.int64(hashed) & mask
    while slots[slot] != 0:
        same = True
        for w in range(line.shape[0]):
            same &= lines[slots[slot] - 1, w] == line[w]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def numbered_lines(lines):
    """Each line once, in the order of their first appearance, and the number of each given one among them."""
    slots, numbers = new_index(lines.shape[0]), np.empty(lines.shape[0], np.int64)
    distinct, count = np.empty(lines.shape, np.uint64), 0
    for k in range(lines.shape[0]):
        slot = place_in(slots, distinct, lines[k])
        if slots[slot] == 0:
            copy_items(lines[k], distinct[count])
            count += 1
            slots[slot] = count
        numbers[k] = slots[slot] - 1
    return distinct[:count], numbers


@kernel
def distinct_lines(lines):
    """Each line once, in the order of their first appearance."""
    return numbered_lines(lines)[0]


@kernel
def are_among(lines, known):
    """Which of some lines are among the known ones."""
    slots = new_index(known.shape[0])
    for k in range(known.shape[0]):
        slots[place_in(slots, known, known[k])] = k + 1
    found = np.empty(lines.shape[0], np.bool_)
    for k in range(lines.shape[0]):
        found[k] = slots[place_in(slots, known, lines[k])] != 0
    return found


@kernel
def size_of(members, unit):
    """Of how many units, so many numbers each, a set has members."""
    count, last = 0, -1
    for w in range(members.shape[0]):
        rest = members[w]
        while rest:
            at = (w * 64 + lowest_bit(rest)) // unit
            count += at != last
            last = at
            rest &= rest - ONE
    return count


@kernel
def sizes_of(sets, unit):
    """The same of each of some sets."""
    sizes = np.empty(sets.shape[0], np.int64)
    for k in range(sets.shape[0]):
        sizes[k] = size_of(sets[k], unit)
    return sizes


@kernel
def mapped_sets(sets, to):
    """Sets with another member, to[k], in place of each member k."""
    mapped = np.zeros(sets.shape, np.uint64)
    for k in range(sets.shape[0]):
        for w in range(sets.shape[1]):
            rest = sets[k, w]
            while rest:
                put(mapped[k], to[w * 64 + lowest_bit(rest)])
                rest &= rest - ONE
    return mapped


def sort_keys(sets: Words, place_of: npt.NDArray[np.int64]) -> Words:
    """Words that sort sets so that those with common first members, by their places, follow each other."""
    keys: Words = mapped_sets(sets, place_of ^ 63)  # the first place is the highest bit
    return keys


@kernel
def members_in_order(key, member_at, out):
    """Write the members of a set, given by its sort key, in the order of their places; returns how many."""
    count = 0
    for w in range(key.shape[0]):
        place = w * 64
        rest = key[w]
        while rest:
            if rest >> LAST:
                out[count] = member_at[place]
                count += 1
            rest = rest << ONE
            place += 1
    return count
