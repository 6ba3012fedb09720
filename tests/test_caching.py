"""What is kept stays within its budget, is made once, and is made again when it has gone."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.caching import Arrays, Cache

SIZE = 8


def thing(name: int) -> Arrays:
    return (np.full(name, name, np.int64),)


@examples(200)
@given(st.integers(0, 20), st.lists(st.integers(0, 6), max_size=60))
def test_the_least_recently_used_goes_when_the_budget_is_spent(budget: int, asked: list[int]) -> None:
    cache, there = Cache(budget * SIZE), OrderedDict[int, None]()
    made = dropped = 0
    for name in asked:
        made += name not in there
        there[name] = None
        there.move_to_end(name)
        (array,) = cache.get(name, partial(thing, name))
        assert array.tolist() == [name] * name
        while sum(there) > budget:
            there.popitem(last=False)
            dropped += 1
        assert cache.held == SIZE * sum(there) <= SIZE * budget
    assert (cache.made, cache.reused, cache.dropped) == (made, len(asked) - made, dropped)


def test_everything_goes_when_memory_is_short_and_comes_again_on_demand() -> None:
    cache = Cache(100 * SIZE)
    for name in (3, 4):
        cache.get(name, partial(thing, name))
    cache.clear()
    assert (cache.held, cache.dropped) == (0, 2)
    assert cache.get(3, partial(thing, 3))[0].tolist() == [3] * 3
    assert cache.made == 3


def test_a_smaller_budget_counts_at_once() -> None:
    cache = Cache(100 * SIZE)
    for name in (3, 4, 5):
        cache.get(name, partial(thing, name))
    cache.limit(9 * SIZE)
    assert (cache.held, cache.dropped) == (9 * SIZE, 1)


def test_threads_that_ask_at_the_same_time_wait_for_one_to_make_it() -> None:
    cache, begun, go_on = Cache(100 * SIZE), threading.Event(), threading.Event()

    def make() -> Arrays:
        begun.set()
        assert go_on.wait(60)
        return thing(5)

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(cache.get, 5, make)
        assert begun.wait(60)
        others = [pool.submit(cache.get, 5, partial(thing, 0)) for _ in range(3)]
        while cache.reused < 3:
            threading.Event().wait(0.001)
        cache.clear()  # what is being made is not lost
        go_on.set()
        assert all(other.result() is first.result() for other in others)
    assert (cache.made, cache.held) == (1, 5 * SIZE)


def test_what_could_not_be_made_is_tried_again() -> None:
    cache = Cache(100 * SIZE)

    def fail() -> Arrays:
        raise MemoryError

    with pytest.raises(MemoryError):
        cache.get(2, fail)
    assert cache.get(2, partial(thing, 2))[0].tolist() == [2, 2]
