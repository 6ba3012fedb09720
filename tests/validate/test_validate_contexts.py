"""Contexts in groups, the walk through their prefix tree and their scores, against grouping by tuples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranked_tables import classes_by_hand, classes_of, in_any_order, ranked, sets_of, wide

from examples import examples
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.batch import score_contexts
from lawful.validate.contexts import BASE, WORTH_KEEPING, groups_of, partition_of, refinement_for
from lawful.validate.prefix_walk import Walk, aim, new_walk, partition_by, refined
from lawful.words import Words, members_in_order

tables = st.one_of(ranked(20), wide(20))


@st.composite
def some_contexts(draw: st.DrawFn, columns: int) -> Words:
    """Of few columns, so that many begin alike; of the last ones too."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    few = random.choice(columns, min(columns, 7), replace=False)
    sizes = random.integers(0, len(few) + 1, draw(st.integers(0, 25)))
    return sets_of([frozenset(random.permutation(few)[:size].tolist()) for size in sizes], columns)


def depth_made(walk: Walk) -> int:
    """Down to which depth the context that is aimed at has its partition."""
    return int(walk.path.made[0]) + walk.base_depth


def columns_of(key: Words, column_at: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    room = np.empty(len(column_at), np.int64)
    columns: list[int] = room[: members_in_order(key, column_at, room)].tolist()
    return columns


@pytest.mark.parametrize("worth_keeping", [0, WORTH_KEEPING])
@examples(100)
@given(rows=tables, data=st.data())
def test_a_walk_makes_the_partition_of_every_context(
    worth_keeping: int, rows: RankedRows, data: st.DataObject
) -> None:
    """At once or in steps. Contexts may come twice; some are only aimed at."""
    sets = data.draw(some_contexts(rows.columns))
    refinement, work = refinement_for(sets, rows), Workspace(rows)
    keys = refinement.keys(sets)
    keys = np.ascontiguousarray(keys[np.lexsort(keys.T[::-1])])
    done = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
        groups = list(groups_of(keys, refinement, work))
    for part, base, base_depth in groups:
        assert part.start == done
        done = part.stop
        walk = new_walk(base, base_depth, refinement.columns)
        for k, key in enumerate(keys[part]):
            columns = columns_of(key, refinement.columns)
            assert base_depth == (min(BASE, len(columns)) if worth_keeping == 0 else 0)
            depth = aim(walk, keys[part], k)
            assert walk.columns[:depth].tolist() == columns
            way = data.draw(st.sampled_from(["at once", "in steps", "not at all"]))
            wanted = {"at once": [depth], "in steps": range(depth_made(walk), depth + 1), "not at all": []}
            for step in wanted[way]:
                walk = refined(walk, step, rows.ranks, rows.counts)
            for made in range(base_depth, depth_made(walk) + 1):
                expected = classes_by_hand(rows.ranks, range(rows.count), columns[:made])
                assert in_any_order(classes_of(*partition_by(walk, made))) == expected
    assert done == len(keys)


@examples(100)
@given(ranked(20), st.data())
def test_kept_partitions_are_those_of_their_columns(rows: RankedRows, data: st.DataObject) -> None:
    work = Workspace(rows)
    work.kept.limit(data.draw(st.sampled_from([0, 200, 1 << 20])))
    for _ in range(3):
        size = data.draw(st.integers(0, rows.columns))
        columns = tuple(data.draw(st.permutations(range(rows.columns)))[:size])
        expected = classes_by_hand(rows.ranks, range(rows.count), columns)
        assert in_any_order(classes_of(*partition_of(columns, work))) == expected


def test_no_group_follows_a_halt() -> None:
    work = Workspace(RankedRows(np.zeros((2, 4), np.int32), [True] * 2))
    keys = np.array([[1 << 62], [1 << 63]], np.uint64)
    work.halt[0] = 1
    refinement = refinement_for(keys, work.rows)
    assert list(groups_of(keys, refinement, work)) == []
    assert np.isnan(score_contexts(work, keys, refinement)).all()


@pytest.mark.parametrize("worth_keeping", [0, WORTH_KEEPING])
@examples(80)
@given(rows=tables, data=st.data())
def test_contexts_are_scored_by_the_pairs_that_agree(
    worth_keeping: int, rows: RankedRows, data: st.DataObject
) -> None:
    sets = data.draw(some_contexts(rows.columns))
    refinement = refinement_for(sets, rows)
    keys = refinement.keys(sets)
    keys = np.ascontiguousarray(keys[np.lexsort(keys.T[::-1])])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
        scores = score_contexts(Workspace(rows), keys, refinement)
    for key, score in zip(keys, scores, strict=True):
        classes = classes_by_hand(rows.ranks, range(rows.count), columns_of(key, refinement.columns))
        pairs = sum(len(group) * (len(group) - 1) for group in classes)
        assert score == pytest.approx(pairs / (rows.count * (rows.count - 1)) if rows.count > 1 else 1.0)
