"""What is found by which spelling, in which language and script."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.lexical.oracle import chunk
from tether.retrieval.lexical.bm25 import WordSettings
from tether.retrieval.lexical.lanes import GramLane, WordLane
from tether.retrieval.ports import LexicalLane, LexicalSearcher
from tether.text.words import WordCharacters

LANES: dict[str, LexicalLane] = {"words": WordLane(), "grams": GramLane()}


def opened(*texts: str, lane: LexicalLane | None = None, language: str = "") -> LexicalSearcher:
    lane = lane or WordLane()
    chunks = [chunk(text, language=language) for text in texts]
    return lane.open(lane.build(size=len(chunks), fresh=enumerate(chunks)))


def found(question: str, *texts: str, language: str = "") -> list[int]:
    rows: list[int] = opened(*texts, language=language).search(question).rows.tolist()
    return rows


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("written", "asked"),
        [
            ("load_index_vectors", "load_index_vectors"),
            ("load_index_vectors", "vectors"),
            ("load_index_vectors", "LoadIndexVectors"),
            ("--max-size", "max_size"),
            ("--max-size=12", "size"),
            ("E_FOO_12", "e_foo_12"),
            ("E_FOO_12", "foo"),
            ("safeFetch()", "safefetch"),
            ("safeFetch()", "fetch"),
            ("HTTPServer", "server"),
            ("http.server", "http.server"),
            ("http.server", "server"),
            ("kube-apiserver", "apiserver"),
            ("kube-apiserver", "kubeapiserver"),
            ("v1.29.0", "v1.29.0"),
            ("CVE-2021-44228", "cve-2021-44228"),
            ("src/tether/load_index.py", "load_index"),
            ("src/tether/load_index.py", "src/tether/load_index.py"),
            ("C:\\Users\\Public", "users"),
            ("std::vec::Vec", "vec"),
            ("written in C++ and C#", "c++"),
            ("written in C++ and C#", "C#"),
            ("ReplicaSets", "replicaset"),
        ],
    )
    def test_they_are_found_whole_and_by_their_parts(self, written: str, asked: str) -> None:
        padded = f"the pods of this cluster are started by {written} and not by the user"
        assert found(asked, "something else", padded, language="en") == [1]

    def test_the_whole_counts_for_more_than_its_parts(self) -> None:
        texts = ("size max size", "the max_size of it", "max")
        assert found("max_size", *texts)[0] == 1

    def test_versions_are_not_run_together(self) -> None:
        assert found("1.29", "129 nodes", "in 1.29 only") == [1]
        assert found("2021-03", "202103", "since 2021-03") == [1]

    def test_plural_abbreviations_are_not_torn(self) -> None:
        assert opened("APIs").terms("APIs") == ("apis",)

    def test_very_long_words_are_cut_and_still_found(self) -> None:
        word = "a" * 5_000
        assert found(word, "other", word) == [1]
        assert all(len(term) <= 64 for term in opened(word).terms(word))

    def test_a_compound_of_many_parts_is_found_by_them_only(self) -> None:
        path = "/".join(f"part{number}" for number in range(12))
        assert opened(path).terms(path) == tuple(f"part{number}" for number in range(12))

    def test_underscores_alone_are_no_word(self) -> None:
        assert opened("____").terms("____") == ()


class TestLanguages:
    @pytest.mark.parametrize(
        ("language", "written", "asked"),
        [
            ("en", "running", "runs"),
            ("en-GB", "organised clusters", "cluster"),
            ("de", "Häuser", "haus"),
            ("de_AT", "Verbindungen", "verbindung"),
            ("fr", "configurations", "configuration"),
            ("es", "configuraciones", "configuración"),
            ("ru", "контейнеры", "контейнер"),
            ("nb", "nettverkene", "nettverket"),
            ("hi", "लड़कियाँ", "लड़कियों"),
        ],
    )
    def test_inflections_meet_in_a_declared_language(
        self, language: str, written: str, asked: str
    ) -> None:
        assert found(asked, written, language=language) == [0]

    def test_words_of_no_known_language_are_not_stemmed(self) -> None:
        assert found("runs", "running", language="xx") == []
        assert found("running", "running", language="xx") == [0]

    def test_stemming_can_be_off(self) -> None:
        lane = WordLane(WordSettings(stemming=False))
        assert len(opened("running", lane=lane, language="en").search("runs")) == 0

    def test_the_language_of_a_passage_is_detected(self) -> None:
        english = "The pods are scheduled on the nodes of a cluster, and this is how it works."
        german = "Die Verbindungen sind nicht auf dem Knoten und werden von der Steuerung beendet."
        searcher = opened(english, german)
        assert searcher.search("schedule a node").rows.tolist() == [0]
        assert searcher.search("wie wird die Verbindung beendet").rows.tolist() == [1]
        assert searcher.search("Verbindung", language="de").rows.tolist() == [1]

    def test_forms_of_one_word_weigh_as_one(self) -> None:
        """A passage in code, of no language, is no better a match for being spelled otherwise."""
        english = "the pods that are in the cluster and run on a node of it"
        searcher = opened(*[english] * 30, "pods", "kubectl get node")
        ranking = searcher.search("pods")
        assert set(ranking.rows.tolist()) == set(range(31))
        assert ranking.scores.max() < 2.5 * ranking.scores.min()

    @pytest.mark.parametrize("asked", ["cafe", "café", "CAFÉ", "cafe\u0301"])
    def test_accents_and_case_do_not_matter(self, asked: str) -> None:
        assert found(asked, "x", "café", "cafe") == [1, 2]

    def test_compatibility_forms_and_hidden_characters_do_not_matter(self) -> None:
        assert found("file", "ﬁle", "\uff46\uff49\uff4c\uff45", "fi\u00adle") == [0, 1, 2]

    def test_a_combining_mark_alone_is_harmless(self) -> None:
        assert found("\u0301", "\u0301") == [0]


class TestUnspacedScripts:
    @pytest.mark.parametrize(
        ("asked", "texts", "rows"),
        [
            ("天気", ("今日の天気は晴れ", "天と気"), [0]),
            ("京", ("東京都", "大阪"), [0]),
            ("数据库", ("分布式数据库系统", "数学"), [0]),
            ("클러스터", ("클러스터를 만든다", "노드"), [0]),
            ("ภาษา", ("เรียนภาษาไทย", "บ้าน"), [0]),
            ("API网关", ("配置API网关的方法", "x"), [0]),
        ],
        ids=["japanese", "one-character", "chinese", "korean", "thai", "mixed"],
    )
    def test_they_are_found_by_pairs_of_characters(
        self, asked: str, texts: tuple[str, ...], rows: list[int]
    ) -> None:
        assert found(asked, *texts) == rows

    def test_a_question_looks_for_pairs_only(self) -> None:
        assert opened("x").terms("東京都") == ("東京", "京都")


class TestStopWords:
    def test_little_words_of_a_question_do_not_count(self) -> None:
        searcher = opened("how is the weather", "pods", language="en")
        assert searcher.terms("How is the pod?") == ("pod",)

    def test_a_question_of_little_words_only_keeps_them(self) -> None:
        assert found("to be or not to be", "to be or not to be", "pods", language="en") == [0]

    def test_little_words_are_told_in_any_case(self) -> None:
        searcher = opened("x", language="el")
        assert searcher.terms("ΤΗΣ ΗΜΈΡΑΣ") == searcher.terms("ημέρας")
        assert searcher.terms("Της ημέρας") == searcher.terms("ημέρας")

    def test_little_words_in_capitals_say_as_little(self) -> None:
        assert opened("x", language="en").terms("HOW DO THE PODS") == ("pod",)

    def test_passages_keep_theirs(self) -> None:
        assert found("the", "the pods", "pods", language="en") == [0]


class TestWordParts:
    @pytest.mark.parametrize(
        ("asked", "written"),
        [
            ("schedular", "scheduler"),
            ("shceduler", "scheduler"),
            ("deploymnet", "deployment"),
            ("authentification", "authentication"),
            ("контейнерами", "контейнеров"),
            ("мир", "мира и мир"),
            ("c++", "C++"),
            ("vectors", "loadIndexVectors"),
            ("loadindexvectors", "loadIndexVectors"),
            ("get-childitem", "Get-ChildItem"),
            ("café", "cafe"),
            ("天気", "今日の天気"),
        ],
    )
    def test_misspelled_and_compound_words_are_found(self, asked: str, written: str) -> None:
        searcher = opened("nothing of it", f"about {written}", lane=GramLane())
        assert searcher.search(asked).rows.tolist() == [1]

    def test_a_word_is_cut_into_known_pieces_and_its_skeleton(self) -> None:
        searcher = opened("x", lane=GramLane())
        assert searcher.terms("kubelet") == ("ku", "##bel", "##et", "~kblt")
        assert searcher.terms("scheduler") == ("schedule", "##r", "~schdl")

    def test_short_words_are_whole(self) -> None:
        assert opened("x", lane=GramLane()).terms("pod api") == ("pod", "api")

    def test_little_words_do_not_count(self) -> None:
        searcher = opened("x", lane=GramLane())
        assert searcher.terms("how do I reach the api") == opened("x", lane=GramLane()).terms(
            "reach api"
        )


class TestEmoji:
    def test_the_marks_that_make_emoji_are_no_part_of_a_word(self) -> None:
        assert found("warning", "\u26a0\ufe0fWarning") == [0]
        assert found("1", "step 1\ufe0f\u20e3") == [0]
        assert opened("x").terms("\u26a0\ufe0f") == ()

    def test_remembered_characters_are_bounded(self) -> None:
        table = WordCharacters()
        text = "".join(map(chr, range(0x10000, 0x20100)))
        assert text.translate(table) == text.translate(WordCharacters())
        assert len(table) == 65_536


class TestAnyText:
    @pytest.mark.parametrize("lane", LANES)
    @given(texts=st.lists(st.text(), min_size=1, max_size=5), question=st.text())
    @settings(max_examples=80, deadline=None)
    def test_any_text_can_be_indexed_and_asked(
        self, lane: str, texts: list[str], question: str
    ) -> None:
        searcher = opened(*texts, lane=LANES[lane])
        ranking = searcher.search(question)
        assert (ranking.scores > 0).all()
        for row, text in enumerate(texts):
            if searcher.terms(text):
                assert row in searcher.search(text).rows.tolist()

    def test_lone_surrogates_are_texts_too(self) -> None:
        assert found("\ud800x", "a \ud800x b") == [0]
