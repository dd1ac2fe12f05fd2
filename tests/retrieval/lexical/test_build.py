"""Arrays are the same however they came about."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from retrieval.lexical.oracle import chunk
from tether.retrieval.errors import InvalidRetrievalSettings
from tether.retrieval.lexical import build, postings
from tether.retrieval.lexical.bm25 import GramSettings, LexicalSettings, WordSettings
from tether.retrieval.lexical.lanes import GramLane, WordLane
from tether.retrieval.ports import LexicalLane

LANES: dict[str, LexicalLane] = {"words": WordLane(), "grams": GramLane()}

TEXTS = (
    "The scheduler places pods on nodes and the kubelet runs them.",
    "Der Scheduler verteilt die Pods und wird nicht von dem Knoten gestartet.",
    "load_index_vectors --max-size http.server",
    "",
    "東京都の天気",
    "the the the of of and",
    "pods pods pods",
)

states = st.lists(st.sampled_from(TEXTS), max_size=12)


def same(left: dict[str, NDArray[np.generic]], right: dict[str, NDArray[np.generic]]) -> None:
    assert left.keys() == right.keys()
    for name, array in left.items():
        assert array.dtype == right[name].dtype, name
        assert array.tolist() == right[name].tolist(), name


class TestCarryingOver:
    @pytest.mark.parametrize("lane", LANES)
    @given(before=states, after=states, data=st.data())
    @settings(max_examples=40, deadline=None)
    def test_kept_rows_give_the_arrays_of_a_fresh_build(
        self, lane: str, before: list[str], after: list[str], data: st.DataObject
    ) -> None:
        made = LANES[lane]
        previous = made.build(size=len(before), fresh=list(enumerate(map(chunk, before))))
        survivors = data.draw(st.permutations(range(len(before)))) if before else []
        survivors = survivors[: data.draw(st.integers(0, len(before)))]
        texts = [*after, *(before[row] for row in survivors)]
        places = data.draw(st.permutations(range(len(texts))))
        kept = np.full(len(before), -1, dtype=np.int32)
        kept[survivors] = places[len(after) :]
        fresh = [(places[number], chunk(text)) for number, text in enumerate(after)]
        carried = made.build(size=len(texts), fresh=fresh, previous=previous, kept=kept)
        whole = sorted((place, chunk(texts[number])) for number, place in enumerate(places))
        same(carried, made.build(size=len(texts), fresh=whole))

    def test_a_word_that_only_lost_rows_held_is_forgotten(self) -> None:
        lane = WordLane()
        previous = lane.build(size=2, fresh=enumerate([chunk("alpha"), chunk("beta")]))
        carried = lane.build(
            size=1, fresh=[], previous=previous, kept=np.array([-1, 0], dtype=np.int32)
        )
        assert carried["term_spellings"].tobytes() == b"beta"


class TestBlocks:
    def test_blocks_and_segments_change_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lane = WordLane()
        chunks = [chunk(text) for text in TEXTS * 5]
        expected = lane.build(size=len(chunks), fresh=enumerate(chunks))
        monkeypatch.setattr(build, "_BLOCK", 10)
        monkeypatch.setattr(build, "_REMEMBERED", 3)
        monkeypatch.setattr(build, "_LONGEST_REMEMBERED", 5)
        monkeypatch.setattr(postings, "_SEGMENT_POSTINGS", 7)
        monkeypatch.setattr(postings, "_SEGMENT_TERMS", 3)
        same(lane.build(size=len(chunks), fresh=enumerate(chunks)), expected)
        backwards = list(enumerate(chunks))[::-1]
        same(lane.build(size=len(chunks), fresh=backwards), expected)

    def test_more_occurrences_than_a_counter_holds_stay_at_its_top(self) -> None:
        arrays = WordLane().build(size=1, fresh=[(0, chunk("alpha " * 70_000))])
        assert arrays["posting_frequencies"].tolist() == [65_535]
        assert arrays["row_lengths"].tolist() == [70_000]

    def test_what_a_posting_counts_for_is_stored_in_steps(self) -> None:
        lane = WordLane(WordSettings(k1=1, b=0))
        arrays = lane.build(size=1, fresh=[(0, chunk("alpha alpha"))])
        # 2 / (2 + 1) of 2 ** 32 - 1 steps
        assert arrays["posting_impacts"].tolist() == [2_863_311_530]
        assert arrays["term_bounds"].tolist() == [2_863_311_530]

    def test_arrays_are_flat_and_little_endian(self) -> None:
        for array in WordLane().build(size=1, fresh=[(0, chunk("alpha"))]).values():
            assert array.ndim == 1
            assert array.dtype.kind in "iuf"
            assert array.dtype.newbyteorder("<") == array.dtype


class TestRows:
    def test_rows_that_nobody_gave_are_empty(self) -> None:
        lane = WordLane()
        arrays = lane.build(size=3, fresh=[(1, chunk("alpha"))])
        assert lane.open(arrays).search("alpha").rows.tolist() == [1]
        assert arrays["row_lengths"].tolist() == [0, 1, 0]

    @pytest.mark.parametrize("rows", [(0, 0), (0, 2), (-1, 1)])
    def test_rows_given_twice_or_outside_are_refused(self, rows: tuple[int, int]) -> None:
        with pytest.raises(InvalidRetrievalSettings, match="every row is given once"):
            WordLane().build(size=2, fresh=[(row, chunk("alpha")) for row in rows])

    def test_a_row_cannot_be_kept_and_fresh(self) -> None:
        lane = WordLane()
        previous = lane.build(size=1, fresh=[(0, chunk("alpha"))])
        with pytest.raises(InvalidRetrievalSettings):
            lane.build(
                size=1,
                fresh=[(0, chunk("beta"))],
                previous=previous,
                kept=np.array([0], dtype=np.int32),
            )


class TestSettings:
    @pytest.mark.parametrize(
        ("k1", "b", "title_weight", "path"),
        [(-1.0, 0.5, 1, "k1"), (float("nan"), 0.5, 1, "k1"), (1.0, 2.0, 1, "b"), (1, 0, 21, "t")],
    )
    def test_impossible_settings_are_refused(
        self, k1: float, b: float, title_weight: int, path: str
    ) -> None:
        with pytest.raises(InvalidRetrievalSettings) as caught:
            LexicalSettings(k1=k1, b=b, title_weight=title_weight)
        assert [problem.path[: len(path)] for problem in caught.value.problems] == [path]

    def test_fingerprints_tell_settings_apart(self) -> None:
        lanes: list[LexicalLane] = [
            WordLane(),
            WordLane(WordSettings(k1=0.5)),
            WordLane(WordSettings(b=0.5)),
            WordLane(WordSettings(title_weight=5)),
            WordLane(WordSettings(stemming=False)),
            GramLane(),
            GramLane(GramSettings(k1=0.5)),
        ]
        assert len({lane.fingerprint for lane in lanes}) == len(lanes)
        assert WordLane().fingerprint == WordLane(WordSettings()).fingerprint
        assert [WordLane().name, GramLane().name] == ["words", "grams"]


class TestThreads:
    @pytest.mark.parametrize("lane", LANES)
    def test_one_searcher_serves_many_threads(self, lane: str) -> None:
        made = LANES[lane]
        chunks = [chunk(text) for text in TEXTS]
        found = made.open(made.build(size=len(chunks), fresh=enumerate(chunks)))
        expected = {text: found.search(text).scores.tolist() for text in TEXTS}
        wrong: list[str] = []

        def ask() -> None:
            wrong.extend(
                text for text in TEXTS * 20 if found.search(text).scores.tolist() != expected[text]
            )

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
