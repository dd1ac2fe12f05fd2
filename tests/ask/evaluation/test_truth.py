"""Statements known to be true or false: how they are read, put to the gate, and counted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tether.ask.errors import VerifierFailed
from tether.ask.evaluation.truth import Metered, Weighed, tallies, tallies_by_kind, weigh_all
from tether.ask.evaluation.truth_set import TruthCase, TruthSet, load_truth
from tether.ask.verification.port import Claim, Opinion
from tether.ask.verification.scripted import ScriptedVerifier
from tether.core.errors import InputRefused

Row = dict[str, Any]

FERRY: Row = {
    "id": "ferry",
    "corpus": "harbour",
    "page": "ferry.md",
    "heading": "Harbour > Ferry",
    "before": "The harbour has one pier.",
    "quote": "The ferry leaves at nine and returns at noon.",
    "after": "Tickets are sold on board.",
    "question": "When does the ferry leave?",
    "true": ["The ferry departs at nine.", "The ferry leaves at nine and returns at noon."],
    "false": [
        {"text": "The ferry leaves at noon.", "kind": "number"},
        {"text": "The ferry never leaves at nine.", "kind": "negation"},
        {"text": "Ferries are blue.", "kind": "extra"},
    ],
}
CRANE: Row = {
    "id": "crane",
    "page": "crane.md",
    "heading": "Crane",
    "quote": "| load | tons |\n| safe | 40 |",
    "before": "| least | 2 |",
    "after": "| most | 55 |",
    "question": "What is the safe load?",
    "true": ["The safe load is 40 tons."],
    "false": [{"text": "Whales sing in deep water.", "kind": "extra"}],
}


def written(folder: Path, name: str, *rows: Row) -> Path:
    path = folder / name
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def case_of(folder: Path, **changed: object) -> TruthCase:
    (found,) = load_truth(written(folder, "one.jsonl", FERRY | changed))
    return found.cases[0]


def weighed(folder: Path, *rows: Row, verifier: ScriptedVerifier | None = None) -> list[Weighed]:
    return list(weigh_all(load_truth(written(folder, "set.jsonl", *rows)), verifier))


def test_a_file_and_a_folder_are_read_plain_and_compressed(tmp_path: Path) -> None:
    written(tmp_path, "b.tune.jsonl.gz", CRANE)
    written(tmp_path, "a.jsonl", FERRY, CRANE)
    written(tmp_path, "README.md", FERRY)
    sets = load_truth(tmp_path)
    assert [(one.name, [case.id for case in one.cases]) for one in sets] == [
        ("a", ["ferry", "crane"]),
        ("b.tune", ["crane"]),
    ]
    (every,) = load_truth(tmp_path / "a.jsonl", every=2)
    assert [case.id for case in every.cases] == ["ferry"]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"true": [3]}, "'true'"),
        ({"true": None}, "'true'"),
        ({"false": ["no kind"]}, "'false'"),
        ({"false": [{"text": "x"}]}, "kind"),
        ({"before": 3}, "'before'"),
        ({"quote": 3}, "line 1"),
    ],
)
def test_a_wrong_line_is_refused_and_named(
    tmp_path: Path, changed: dict[str, object], named: str
) -> None:
    with pytest.raises(InputRefused, match=named):
        load_truth(written(tmp_path, "set.jsonl", FERRY | changed))


def test_a_folder_without_statements_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputRefused, match="no statements"):
        load_truth(tmp_path)


def test_the_passage_is_the_page_around_the_quote(tmp_path: Path) -> None:
    case = case_of(tmp_path)
    assert case.chunk.text == "\n\n".join(
        ("## Ferry", FERRY["before"], FERRY["quote"], FERRY["after"])
    )
    assert case.chunk.heading_path == ("Harbour", "Ferry")
    assert case.chunk.text[slice(*case.place)] == FERRY["quote"]


def test_a_quote_without_heading_and_neighbours_is_its_own_passage(tmp_path: Path) -> None:
    case = case_of(tmp_path, heading="", before="", after="", page="")
    assert case.chunk.text == FERRY["quote"]
    assert case.chunk.document == "ferry"


def test_a_row_stands_under_its_header_among_its_neighbours(tmp_path: Path) -> None:
    (found,) = load_truth(written(tmp_path, "set.jsonl", CRANE))
    (case,) = found.cases
    assert case.chunk.text.split("\n") == [
        "## Crane",
        "",
        "| load | tons |",
        "|---|---|",
        "| least | 2 |",
        "| safe | 40 |",
        "| most | 55 |",
    ]
    assert case.chunk.text[slice(*case.place)] == "| safe | 40 |"


def test_a_header_that_has_its_line_keeps_it(tmp_path: Path) -> None:
    case = case_of(tmp_path, quote="| load | tons |\n|:--|--:|\n| safe | 40 |", before="", after="")
    assert case.chunk.text.endswith("| load | tons |\n|:--|--:|\n| safe | 40 |")


def test_an_item_stands_under_its_lead_in_among_its_neighbours(tmp_path: Path) -> None:
    case = case_of(
        tmp_path, quote="Bring:\n- a coat\n  of wool", before="- a hat", after="- two oars"
    )
    assert case.chunk.text.endswith("Bring:\n\n- a hat\n- a coat\n  of wool\n- two oars")
    assert case.chunk.text[slice(*case.place)] == "- a coat\n  of wool"


def test_an_item_without_a_lead_in_follows_what_is_before_it(tmp_path: Path) -> None:
    case = case_of(tmp_path, quote="- a coat", before="- a hat", after="Nothing else.")
    assert case.chunk.text.endswith("- a hat\n- a coat\n\nNothing else.")


def test_other_passages_are_drawn_by_seed_and_are_never_the_same(tmp_path: Path) -> None:
    rows = [FERRY | {"id": f"ferry-{at}", "quote": f"Ferry {at} leaves."} for at in range(20)]
    twin = FERRY | {"id": "twin", "quote": "Ferry 0 leaves."}
    (found,) = load_truth(written(tmp_path, "set.jsonl", *rows, twin))
    first = found.cases[0]
    for seed in range(30):
        drawn = found.passages(first, 5, seed)
        assert [one.number for one in drawn] == [1, 2, 3, 4, 5, 6]
        texts = [one.chunk.text for one in drawn]
        assert texts[0] == first.chunk.text
        assert first.chunk.text not in texts[1:]
        assert drawn == found.passages(first, 5, seed)
    assert found.passages(first, 5, 0) != found.passages(first, 5, 1)
    assert len(TruthSet(name="", cases=(first,)).passages(first, 5, 0)) == 1


def test_what_the_verifier_supports_is_shown_and_the_rest_is_quoted(tmp_path: Path) -> None:
    verifier = ScriptedVerifier(supports=("departs at nine", "leaves at noon"))
    found = weighed(tmp_path, FERRY, CRANE, verifier=verifier)
    seen = [(one.id, one.kind, one.shown, one.quoted, one.standing) for one in found]
    assert seen == [
        ("ferry", "true", True, False, "supported"),
        ("ferry", "true", True, False, "verbatim"),
        ("ferry", "number", True, False, "supported"),
        ("ferry", "negation", False, True, "unsupported"),
        ("ferry", "extra", False, True, "unsupported"),
        ("crane", "true", False, True, "unsupported"),
        ("crane", "extra", False, False, "unsupported"),
    ]
    assert found[0].probability == 0.9
    assert found[3].fault == "no passage says this"
    assert "leaves at nine" in found[3].reading
    assert [one.claims > 0 for one in found] == [True, False, True, True, True, True, True]
    assert all(one.review_ms >= 0 <= one.verifier_ms for one in found)


def test_without_a_verifier_only_whole_sentences_stand(tmp_path: Path) -> None:
    found = weighed(tmp_path, FERRY)
    assert [one.standing for one in found if one.shown] == ["verbatim"]
    assert all(one.claims == 0 for one in found)


def test_a_true_statement_needs_all_its_sentences_and_a_false_one_any(tmp_path: Path) -> None:
    both = "The ferry leaves at nine and returns at noon. Ferries can fly."
    row = FERRY | {"true": [both], "false": [{"text": both, "kind": "extra"}]}
    true, false = weighed(tmp_path, row, verifier=ScriptedVerifier(supports=()))
    assert (true.shown, true.quoted, true.standing) == (False, True, "unsupported")
    assert (false.shown, false.standing) == (True, "verbatim")


def test_a_false_statement_that_a_document_corrects_is_not_shown(tmp_path: Path) -> None:
    false = [
        {"text": "The ferry `leaves` at nine and returns at __noon__.", "kind": "entity"},
        {"text": "The ferry **leaves** at nine and returns at noon", "kind": "near"},
    ]
    row = FERRY | {"true": ["The ferry leaves at nine and returns at <i>noon</i>."], "false": false}
    found = weighed(tmp_path, row)
    seen = [(one.kind, one.shown, one.quoted, one.standing) for one in found]
    assert seen == [
        ("true", True, False, "verbatim"),
        ("entity", False, True, "verbatim"),
        ("near", True, False, "verbatim"),
    ]


def test_a_statement_that_states_nothing_is_not_shown(tmp_path: Path) -> None:
    row = FERRY | {"true": ["I hope this helps!"], "false": []}
    (found,) = weighed(tmp_path, row, verifier=ScriptedVerifier())
    assert (found.shown, found.quoted, found.standing) == (False, False, "unstated")


def test_several_workers_find_the_same_in_the_same_order(tmp_path: Path) -> None:
    rows = [
        FERRY | {"id": f"ferry-{at}", "quote": f"Ferry {at} leaves at nine."} for at in range(9)
    ]
    sets = load_truth(written(tmp_path, "set.jsonl", *rows))
    one, four = (
        [(it.id, it.text, it.shown, it.quoted) for it in weigh_all(sets, None, workers=workers)]
        for workers in (1, 4)
    )
    assert one == four


def test_a_metered_verifier_is_the_verifier_it_meters() -> None:
    own = ScriptedVerifier()
    metered = Metered(own)
    assert metered.fingerprint == own.fingerprint
    assert metered.supported_at == own.supported_at
    assert metered.contradicted_at == own.contradicted_at
    assert metered.verify([Claim("a", "b")]) == own.verify([Claim("a", "b")])
    assert (metered.claims, metered.failure) == (1, None)


class Broken:
    """A verifier that has lost its file."""

    fingerprint = "broken"
    supported_at = contradicted_at = 0.5

    def verify(self, claims: Sequence[Claim]) -> list[Opinion]:
        raise VerifierFailed("the file is gone")


def test_a_verifier_that_fails_is_not_counted_as_one_that_rejects(tmp_path: Path) -> None:
    with pytest.raises(VerifierFailed, match="the file is gone"):
        list(weigh_all(load_truth(written(tmp_path, "set.jsonl", FERRY)), Broken()))


def test_statements_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    verifier = ScriptedVerifier(supports=("departs at nine", "leaves at noon"))
    found = weighed(tmp_path, FERRY, CRANE, verifier=verifier)
    counts = {one.name: (one.count, one.total) for one in tallies(found)}
    assert counts == {
        "true kept": (2, 3),
        "true not kept, quoted instead": (1, 1),
        "false shown": (1, 4),
        "false shown, numbers, units, negations and comparators": (1, 2),
        "false not shown, quoted instead": (2, 3),
    }
    kinds = [(one.name, one.count, one.total) for one in tallies_by_kind(found)]
    assert kinds == [("number", 1, 1), ("negation", 0, 1), ("extra", 0, 2)]
    (share,) = [one.interval for one in tallies(found) if one.name == "false shown"]
    assert share.low < share.value == 0.25 < share.high


def test_counts_of_nothing_are_left_out(tmp_path: Path) -> None:
    found = weighed(tmp_path, FERRY | {"true": ["I hope this helps!"], "false": []})
    assert [one.name for one in tallies(found)] == ["true kept", "true not kept, quoted instead"]
    assert tallies_by_kind(found) == []
