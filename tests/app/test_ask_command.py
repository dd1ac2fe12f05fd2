"""`tether ask`: answers with sources, refusals, failures; each with its exit code."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from app.pages import DOCS, put
from app.shell import Ran, run
from app.terminals import served
from support.chat_replies import said
from support.faulty_endpoint import http_response
from tether.app.cli import cli
from tether.ask.answer import Answer
from tether.ask.verification.scripted import ScriptedVerifier

QUOTE = "A volume can grow, and never shrinks."
QUOTED = f"Ask for a size with `storage: 5Gi`. {QUOTE}"
"""What is quoted for the question: the whole paragraph."""
EVIL = "https://evil.example/x"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shelf: Path, unjudged: None) -> Path:
    """A folder to ask from, with nobody's settings but its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TETHER_INDEX", str(shelf / "words"))
    return tmp_path


def piped(text: bytes, *words: str) -> Ran:
    result = CliRunner().invoke(cli, list(words), input=text, prog_name="tether")
    return Ran(result.exit_code, result.stdout, result.stderr)


def model(url: str, *more: str) -> tuple[str, ...]:
    return ("--model", f"{url}/v1", "--model-name", "tiny", *more)


def test_an_answer_is_printed_with_its_sources_and_nothing_else(place: Path) -> None:
    ran = run("ask", "Can a volume shrink?").succeeded()
    assert ran.out.startswith(f"{QUOTED} [1]\n\n[1] Volumes\n    volumes.md#size\n\nAnswered by")
    assert ran.out.count(QUOTE) == 1, "the words of the document are printed once"
    assert ran.err.startswith("Note: no floor (4 passages of the 20 that one needs")
    assert ran.told == ""
    assert "\x1b" not in ran.out


def test_the_question_comes_from_standard_input_too(place: Path) -> None:
    for words in (("ask",), ("ask", "-")):
        ran = piped(b"Can a volume shrink?\n", *words)
        assert (ran.code, ran.out.startswith(QUOTED)) == (0, True)


def test_words_that_are_no_text_are_asked_all_the_same(place: Path) -> None:
    form = run("ask", "volume shrinks caf\udce9", "--json").succeeded().json
    assert form["question"] == "volume shrinks caf\ufffd"


def test_no_question_and_one_that_is_no_question_are_wrong_usage(place: Path) -> None:
    for text in (b"", b"  \n", b"a" * 20_001, b"\xff" * 90_000):
        ran = piped(text, "ask")
        assert ran.code == 2
    assert "tether ask" in piped(b"", "ask").err
    assert run("ask", "").code == 2


def test_json_is_the_answer_and_explain_adds_the_steps(place: Path) -> None:
    form = run("ask", "Can a volume shrink?", "--json").succeeded().json
    answer = Answer.from_json(form)
    assert answer.text[answer.citations[0].mark_start :] == "[1]"
    assert answer.citations[0].quote == QUOTED
    assert "steps" not in form
    steps = run("ask", "Can a volume shrink?", "--json", "--explain").json["steps"]
    assert [step["kind"] for step in steps if step["kind"] in ("search", "store")] == [
        "search",
        "store",
    ]


def test_explaining_shows_lanes_evidence_reviews_and_budget(place: Path) -> None:
    out = run("ask", "Can a volume shrink?", "--explain").succeeded().out
    for expected in (
        "\nsearch: ",
        "words 1",
        "\nfloor: ",
        "\nevidence: ",
        "\nverify: ",
        "\nbudget",
        f'\nstatements of the answer:\n    - "{QUOTED}"\n        words document, probability 1.000',
    ):
        assert expected in out


def test_steps_are_told_on_standard_error_where_they_are_wanted(place: Path) -> None:
    ran = run("ask", "Can a volume shrink?", "--verbose").succeeded()
    assert "- search: " in ran.err
    assert "- store: " in ran.err
    assert ran.out.startswith(QUOTED)


def test_a_refusal_ends_with_3_and_names_what_comes_nearest(place: Path) -> None:
    ran = run("ask", "zzzqqq xyzzy")
    assert ran.code == 3
    assert ran.out.startswith("The documents say nothing about this")
    form = run("ask", "zzzqqq xyzzy", "--json")
    assert (form.code, form.json["verdict"]) == (3, "abstained")


def test_a_conversation_goes_on_where_it_is_told_to(place: Path) -> None:
    new = run("ask", "Can a volume shrink?", "--json", "--continue").json["conversation"]
    follow = run("ask", "When is a pod restarted?", "--json", "--continue", "--explain").json
    assert follow["conversation"] == new
    assert follow["steps"][0]["detail"]["exchanges"] == 1
    named = run("ask", "Can a volume grow?", "--json", "--conversation", new).json
    assert named["conversation"] == new
    assert run("ask", "Can a volume grow?", "--json").json["conversation"] != new
    missing = run("ask", "Can a volume grow?", "--conversation", "nobody's")
    assert (missing.code, missing.out) == (1, "")
    assert "E_RECORD_MISSING" in missing.err


def test_an_instruction_is_only_proposed_and_the_way_to_keep_it_is_told(place: Path) -> None:
    ran = run("ask", "From now on, be brief. Can a volume shrink?").succeeded()
    assert 'Proposed as a standing instruction: "From now on, be brief."' in ran.err
    command = ran.err.rpartition("`tether ")[2].partition("`")[0]
    run(*command.split()).succeeded()
    again = run("ask", "From now on, be brief. Can a volume grow?").succeeded()
    assert again.told == "", "what is in force is not proposed again"


def test_a_written_answer_is_checked_and_not_called_quotation(place: Path) -> None:
    text = f"A volume can grow, and never shrinks. [Volumes](volumes.md#size) [x]({EVIL})"
    with served(said(text)) as endpoint:
        ran = run("ask", "Can a volume shrink?", *model(endpoint.url))
    assert "quotation" not in ran.out
    assert EVIL not in ran.out
    assert ran.out.startswith(f"{QUOTE} [1]\n\n[1] Volumes\n    volumes.md#size\n")


OWN = "Volumes are able to grow."
FALSE = "Volumes are able to shrink."


def believing(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    """Let the included verifier support statements with these words, and nothing else."""
    made = ScriptedVerifier(supports=words)
    monkeypatch.setattr("tether.app.verifier.OnnxVerifier", lambda **_: made)


def test_statements_in_the_words_of_a_model_are_verified_by_default(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    believing(monkeypatch, "able to grow")
    asked = ("ask", "Can a volume shrink?", "--set", "ask.retries=1")
    with served(said(f"{OWN} {FALSE}"), said(OWN), said(OWN)) as endpoint:
        form = run(*asked, *model(endpoint.url), "--json", "--explain", "--receipt", "r.json").json
        out = run(*asked, *model(endpoint.url), "--explain").succeeded().out
    assert form["text"] == f"{OWN} [1]"
    assert [(one["words"], one["probability"]) for one in form["statements"]] == [("model", 0.9)]
    first, second = [step for step in form["steps"] if step["kind"] == "verify"]
    assert [one["standing"] for one in first["detail"]["statements"]] == [
        "supported",
        "unsupported",
    ]
    assert first["detail"]["statements"][1]["fault"] == "no passage says this"
    assert second["detail"]["passed"] is True
    assert f'- "{OWN}"\n            words model, standing supported, probability 0.900' in out
    kept = json.loads((place / "r.json").read_text())
    assert kept["verifier"] == "scripted"
    assert [one["words"] for one in kept["statements"]] == ["model"]
    assert kept["reviews"] == [first, second]


def test_without_a_verifier_only_words_of_documents_are_shown(place: Path) -> None:
    asked = ("ask", "Can a volume shrink?", "--verifier", "none", "--set", "ask.retries=0")
    with served(said(OWN)) as endpoint:
        ran = run(*asked, *model(endpoint.url), "--receipt", "r.json").succeeded()
    assert OWN not in ran.out
    assert ran.out.startswith(f"The document says: \u201c{QUOTE}\u201d [1]\n")
    assert "Note: replaced by the document's own words" in ran.out
    assert json.loads((place / "r.json").read_text())["verifier"] == ""


def test_a_verifier_that_is_broken_is_told_and_the_turn_goes_on(place: Path) -> None:
    (place / "mine.onnx").write_bytes(b"nothing")
    asked = ("ask", "Can a volume shrink?", "--verifier", "mine.onnx", "--set", "ask.retries=0")
    with served(said(OWN), said(OWN)) as endpoint:
        ran = run(*asked, *model(endpoint.url), "--verbose").succeeded()
        run(*asked, *model(endpoint.url), "--receipt", "r.json").succeeded()
    assert "Note: the verifier failed, so only words of the documents are shown: mine" in ran.out
    assert "the verifier failed (failed)" in ran.err
    assert json.loads((place / "r.json").read_text())["verifier"].startswith("mine:")


def test_a_second_opinion_is_a_setting(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    believing(monkeypatch, "able to")
    asked = ("ask", "Can a volume shrink?", "--second-opinion", "--set", "ask.retries=0")
    with served(said(f"{OWN} {FALSE}"), said("Yes."), said("No.")) as endpoint:
        ran = run(*asked, *model(endpoint.url), "--explain").succeeded()
        assert len(endpoint.requests) == 3
    assert OWN in ran.out.partition("\n")[0]
    assert FALSE not in ran.out.partition("\n\n[1]")[0]
    assert "opinion: 1 of 2 statements confirmed" in ran.out
    assert f'{FALSE}"\n            reply no\n            quote: "' in ran.out


def test_a_model_that_fails_ends_with_1_and_stores_nothing(place: Path) -> None:
    with served(http_response(401, body={"error": {"message": "no key"}})) as endpoint:
        words = ("ask", "Can a volume shrink?", *model(endpoint.url, "--receipt", "out.json"))
        ran = run(*words)
        form = run(*words, "--json")
    assert (ran.code, ran.out) == (1, "")
    assert "E_OPENAI_CHAT_COMPLETIONS_HTTP_ERROR" in ran.err
    assert "No receipt was written" in ran.err
    assert (form.code, form.json["verdict"]) == (1, "failed")
    assert not (place / "out.json").exists()
    assert "E_RECORD_MISSING" in run("prompt").err


def test_the_exact_prompt_of_a_turn_is_kept(place: Path) -> None:
    text = "A volume can grow, and never shrinks. [Volumes](volumes.md#size)"
    with served(said(text)) as endpoint:
        answer = run("ask", "Can a volume shrink?", *model(endpoint.url), "--json").json
        (sent,) = [request.json()["messages"] for request in endpoint.requests]
    shown = run("prompt", answer["id"]).succeeded()
    assert shown.err == ""
    for message in sent:
        assert message["content"] in shown.out
    form = run("prompt", "--json").succeeded().json
    assert (form["turn"], form["model"], form["attempts"]) == (answer["id"], "tiny", 1)
    assert form["prompt"] == shown.out.removesuffix("\n")


def test_a_prompt_that_nobody_was_sent_says_so(place: Path) -> None:
    run("ask", "Can a volume shrink?").succeeded()
    assert "answered by quotation" in run("prompt").succeeded().err
    run("ask", "zzzqqq xyzzy")
    ran = run("prompt").succeeded()
    assert ran.out == ""
    assert "no model was called" in ran.err
    assert run("prompt", "--json").json["prompt"] is None
    assert run("prompt", "--owner", "somebody").code == 1


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        (("--index", "nowhere"), 1, "tether index apply"),
        (("--docs", "nowhere", "--index", "new"), 1, "nowhere"),
        (("--modle", "x"), 2, "--model"),
        (("--style", "loud"), 2, "links"),
        (("--model", "http://127.0.0.1:9/v1"), 2, "--model-name"),
        (("--set", "retires=1"), 2, "ask.retries"),
        (("--receipt", "missing/out.json"), 2, "cannot be written to"),
        (("--verifier", "mine.bin"), 2, "must be 'shipped', 'none', or a file that ends in .onnx"),
        (("--verifier", "gone.onnx"), 2, "verifier: there is no file"),
    ],
)
def test_each_mistake_is_told_with_what_to_do(
    flags: tuple[str, ...], code: int, says: str, place: Path
) -> None:
    ran = run("ask", "Can a volume shrink?", *flags)
    assert ran.code == code
    assert says in ran.err


def test_an_unknown_key_of_a_file_is_told_with_its_neighbour(place: Path) -> None:
    (place / "tether.toml").write_text('modell = "extractive"\n')
    ran = run("ask", "Can a volume shrink?")
    assert ran.code == 2
    assert "tether.toml" in ran.err
    assert "modell" in ran.err
    assert "model" in ran.err.replace("modell", "")


def test_an_unreadable_folder_is_told(place: Path) -> None:
    (place / "docs").symlink_to("docs")  # a loop: not even root can read it
    ran = run("ask", "Can a volume shrink?", "--docs", "docs", "--index", "new")
    assert ran.code == 1
    assert "docs" in ran.err
    assert "E_SOURCE_UNAVAILABLE" in ran.err


def test_documents_are_indexed_on_the_way_to_the_first_answer(place: Path, cheap: None) -> None:
    put(place / "docs", DOCS)
    ran = run("ask", "Can a volume shrink?", "--docs", "docs", "--index", "new").succeeded()
    assert ran.out.startswith(QUOTED)


def test_a_quote_without_its_lead_in_is_no_longer_backed(place: Path, cheap: None) -> None:
    page = "# Limits\n\n| name | most |\n|---|---|\n| tasks of a worker | 5 |\n"
    docs = put(place / "limits", {"limits.md": page})
    chosen = ("--index", "own", "--docs", str(docs))
    words = ("ask", "How many tasks has a worker?", *chosen, "--receipt", "out.json")
    with served(said("Name: tasks of a worker; most: 5.")) as endpoint:
        asked = run(*words, *model(endpoint.url), "--json").succeeded().json
    assert asked["citations"][0]["lead"] == "| name | most |"
    out = run("verify", "out.json", "--index", "own").succeeded().out
    assert '"name: tasks of a worker; most: 5"' in out
    put(docs, {"limits.md": page.replace("most", "least")})
    ran = run("verify", "out.json", "--index", "own")
    assert (ran.code, "1 of 1 quotes are gone" in ran.out) == (1, True)
    assert "source changed, the lead-in of the quote is gone: limits.md" in ran.out
    (cited,) = run("verify", "out.json", "--index", "own", "--json").json[0]["citations"]
    assert (cited["lead"], cited["lead_start"]) == ("| name | most |", -1)
    assert cited["start"] > 0


def test_an_answer_is_printed_even_where_its_receipt_cannot_be_written(place: Path) -> None:
    (place / "out.json").symlink_to(place / "out.json")
    ran = run("ask", "Can a volume shrink?", "--receipt", "out.json")
    assert (place / "out.json").is_file()
    assert ran.code == 0
    with patch("os.fsync", side_effect=OSError(28, "No space left on device")):
        ran = run("ask", "Can a volume shrink?", "--receipt", "out.json")
    assert ran.code == 1
    assert ran.out.startswith(QUOTED)
    assert "No space left on device" in ran.err


def test_what_is_no_receipt_ends_with_2(place: Path) -> None:
    put(place, {"no.json": "{}"})
    ran = run("verify", "no.json")
    assert ran.code == 2
    assert "E_RECEIPT_UNREADABLE" in ran.err
    run("ask", "zzzqqq xyzzy", "--receipt", "empty.json")
    assert "nothing to check" in run("verify", "empty.json").succeeded().out
