"""Answers at a terminal: every line is right, and no text controls the terminal or misleads."""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.live import Live

from app.pages import put
from ask.volumes import answered
from tether.app.document_files import DocumentFiles
from tether.app.terminal.answers import FAILED, QUOTATION, answer_lines, consulted_lines
from tether.app.terminal.lines import wrapped
from tether.app.terminal.screen import Screen, link_target
from tether.app.terminal.steps import TAIL, LiveSteps, steps_on
from tether.app.terminal.turn import LONGEST, Asked, explained, step_form
from tether.ask.answer import Answer, Citation, Near
from tether.ask.events import Provisional, Retracted, Step, Working
from tether.ask.refusal import refusal_text
from tether.retrieval.index.records import content_hash

PIPE = Screen()
LIVELY = Screen(is_terminal=True, lively=True, coloured=True)
LINK = re.compile(r"\x1b\]8;;(?P<target>[^\x1b\x07]*)\x1b\\")
OURS = re.compile(r"\x1b\]8;;[!-~]*\x1b\\|\x1b\[[0-9;]*m")

HOSTILE = (
    "[x](javascript:alert(1)) [y](data:text/html,z)",
    "[1]: https://evil.example\n[^1]: https://evil.example",
    "<https://evil.example> https://evil.example www.evil.example",
    "![i](https://evil.example/i.png) <img src=https://evil.example>",
    "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x9d8;;https://evil.example\x9cclick",
    "\x1b[2J\x1b[31mred\x07\r\b\x00\x7f",
    "[a [b](https://evil.example)](https://ok.example)",
    "\u202egnp.exe\u2066\u200b\u00ad",
    "`[c](https://evil.example)` ```\n[d](https://evil.example)\n```",
    "\n[2] Another source\n    https://evil.example",
    "[[cite:doc-9999]] [99]",
    "[" * 20_000,
)
PAGES = ("https://ok.example/a", "https://ok.example/ü?q=1;x")
NO_PAGES = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "vbscript:x",
    "//evil.example",
    "\\\\evil.example",
    "https:evil",
    "https:///evil",
    "https://ok.example@evil.example/",
    "https://\u043ek.example/",
    "https://ok.example\\@evil.example",
    "https://ok.example/\x1b\\evil",
    "https://ok.example/\u202efdp",
    "https://[bad",
    "../secret",
)


def text_of(answer: Answer, screen: Screen = PIPE, files: DocumentFiles | None = None) -> str:
    return "\n".join(answer_lines(answer, screen, files or DocumentFiles()))


def targets(text: str) -> set[str]:
    return {found["target"] for found in LINK.finditer(text)} - {""}


def with_source(source: Citation, **changes: str) -> Answer:
    changed = replace(source, **changes)  # type: ignore[arg-type]  # texts are for texts
    return replace(answered(), citations=(changed, answered().citations[1]))


def test_an_answer_in_a_pipe_is_text_alone() -> None:
    expected = [
        "A volume can grow, and never shrinks. [1] A pod is the smallest thing that runs. [2]",
        "",
        "[1] Volumes",
        "    volumes.md#size",
        "[2] Pods",
        "    pods.md",
        "",
        QUOTATION,
    ]
    assert text_of(answered()).split("\n") == expected


def test_a_model_that_wrote_is_not_called_quotation_and_notes_are_told() -> None:
    text = text_of(replace(answered(), model="small", notes=("a\nlink was\x1b[1m taken out",)))
    assert text.endswith("\n\nNote: a link was\\x1b[1m taken out")


def test_several_quotes_of_one_place_stand_below_it_once_each() -> None:
    first = answered().citations[0]
    again = replace(first, quote="**A** volume", reading="A volume keeps data.")
    text = text_of(replace(answered(), citations=(first, first, again), text="", model="m"))
    assert text.count("[1] Volumes") == 1
    assert text.count('"A volume can grow') == 1
    assert text.endswith('"A volume keeps data."')


def test_a_quote_is_shown_as_a_person_reads_it() -> None:
    first = answered().citations[0]
    row = replace(first, quote="| tasks | 5 |", reading="name: tasks; most: 5")
    old = replace(first, quote="A *volume* keeps data.", reading="")
    code = replace(first, quote="```", reading="Run it:\nif a:\n\tb(\x1b)\n\n[2] Another")
    text = text_of(replace(answered(), citations=(row, old, code), text="", model="m"))
    assert text.split("\n")[4:] == [
        '    "name: tasks; most: 5"',
        '    "A *volume* keeps data."',
        "    | Run it:",
        "    | if a:",
        "    |     b(\\x1b)",
        "    | [2] Another",
    ]


def test_a_refusal_names_the_nearest_pages_with_their_links_once() -> None:
    nearest = (Near(title="Volumes", url="https://ok.example/volumes"),)
    refused = replace(
        answered(),
        verdict="abstained",
        reason="below-floor",
        citations=(),
        nearest=nearest,
        text=refusal_text("below-floor", nearest),
    )
    lead = refusal_text("below-floor", ())
    near = "The pages that come nearest:\n- Volumes (https://ok.example/volumes)"
    assert text_of(refused) == f"{lead}\n\n{near}"
    assert targets(text_of(refused, LIVELY)) == {"https://ok.example/volumes"}
    alone = replace(refused, nearest=(), text=lead)
    assert text_of(alone) == lead
    assert text_of(replace(alone, text="Other words.")) == "Other words."


def test_a_failure_is_its_code_and_message() -> None:
    failed = replace(answered(), verdict="failed", citations=(), error=("E_X", "no\x1b model"))
    assert text_of(failed) == f"no\\x1b model [E_X]\n{FAILED}"
    assert text_of(replace(failed, error=None)) == f"the turn failed\n{FAILED}"


def test_a_terminal_gets_tones_and_links_to_sources_only() -> None:
    first = answered().citations[0]
    answer = with_source(first, url="https://ok.example/volumes")
    text = text_of(answer, LIVELY)
    assert targets(text) == {"https://ok.example/volumes#size"}
    assert text.count("\x1b]8;;https") == 2  # the mark and the source
    assert OURS.sub("", text) == text_of(answer)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_neither_steers_nor_links(hostile: str) -> None:
    url = "https://ok.example/volumes"
    first = answered().citations[0]
    answer = replace(
        with_source(first, title=hostile, quote=hostile, reading=hostile, url=url),
        text=answered().text + hostile,
        notes=(hostile,),
    )
    text = text_of(answer, LIVELY)
    assert targets(text) <= {f"{url}#size"}
    left = OURS.sub("", text)
    assert all(character.isprintable() or character == "\n" for character in left)
    assert len(re.findall(r"^\[\d+\]", left.rpartition("shrinks. [1]")[2], re.MULTILINE)) <= 3


@given(
    said=st.text(max_size=30),
    title=st.text(max_size=30),
    quote=st.text(max_size=30),
    url=st.text(max_size=30) | st.sampled_from(["https://ok.example/", *NO_PAGES]),
    anchor=st.text(max_size=10),
)
def test_nothing_but_our_own_escapes_reaches_a_terminal(
    said: str, title: str, quote: str, url: str, anchor: str
) -> None:
    first = answered().citations[0]
    answer = with_source(first, title=title, quote=quote, reading=quote, url=url, anchor=anchor)
    text = text_of(replace(answer, text=answer.text + said), LIVELY)
    assert "\x1b" not in OURS.sub("", text)
    assert all(target.startswith(("https://", "http://")) for target in targets(text))


def test_pages_of_the_web_are_linked_and_everything_odd_is_not() -> None:
    files = DocumentFiles()
    assert link_target(files, "a", PAGES[0], "") == PAGES[0]
    assert link_target(files, "a", PAGES[1], "b c") == "https://ok.example/%C3%BC?q=1;x#b%20c"
    for url in NO_PAGES:
        assert link_target(files, "a", url, "x") == ""


def test_documents_of_folders_are_linked_as_files_that_are_there(tmp_path: Path) -> None:
    put(tmp_path / "docs", {"a b.md": "x"})
    put(tmp_path / "more", {"a b.md": "x"})
    alone = DocumentFiles.of([str(tmp_path / "docs")])
    there = (tmp_path / "docs" / "a b.md").as_uri()
    assert link_target(alone, "a b.md", "", "top") == f"{there}#top"
    assert link_target(alone, "gone.md", "", "") == ""
    assert link_target(alone, "../more/a b.md", "", "") == ""
    assert link_target(alone, str(tmp_path / "more" / "a b.md"), "", "") == ""
    places = [str(tmp_path / "docs"), str(tmp_path / "more"), "https://ok.example/"]
    both = DocumentFiles.of(places)
    assert link_target(both, "more/a b.md", "", "") == (tmp_path / "more" / "a b.md").as_uri()
    assert link_target(both, "a b.md", "", "") == ""
    single = DocumentFiles.of([str(tmp_path / "docs" / "a b.md")])
    assert link_target(single, "a b.md", "", "") == there


def test_what_was_read_and_not_cited_is_listed_apart() -> None:
    lines = list(consulted_lines(answered()))
    assert lines == ["    Volumes  volumes.md"]
    read = replace(answered().consulted[0], anchor="top")
    assert list(consulted_lines(replace(answered(), consulted=(read,)))) == [
        "    Volumes  volumes.md#top"
    ]


def test_steps_are_explained_with_all_their_details() -> None:
    detail = {
        "rewritten": "volume\x1b shrink",
        "lanes": {"words": 3, "dense": None},
        "hits": [{"rank": 1, "score": 0.51234, "lanes": {"words": 2}}, "more", ["deep"]],
        "empty": [],
        "long": "x" * 1000,
        "nested": {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}},
    }
    steps = [
        Step("search", "done", "found 3", detail, 12.4),
        Step("rewrite", "skipped", "nothing to resolve", {}, 0.2),
    ]
    lines = list(explained(steps, {"window": 10, "free": 4}))
    assert lines[0] == "search: found 3 (12 ms)"
    assert "    rewritten: volume\\x1b shrink" in lines
    assert lines[2:5] == ["    lanes:", "        words: 3", "        dense: none"]
    assert lines[5:10] == [
        "    hits:",
        "        - rank 1, score 0.512, lanes words 2",
        "        - more",
        "        -",
        "            - deep",
    ]
    assert "    empty: none" in lines
    assert f"    long: {'x' * LONGEST}..." in lines
    assert lines[-2] == "rewrite: nothing to resolve (0 ms, skipped)"
    assert lines[-1] == "budget in tokens: window 10 free 4"
    assert list(explained((), None)) == []
    assert step_form(steps[0])["detail"] == detail


def test_every_statement_is_explained_with_its_verdict_and_quote() -> None:
    judged = {
        "text": "A volume\nshrinks.",
        "words": "model",
        "standing": "contradicted",
        "probability": 0.0214,
        "fault": "a passage says otherwise",
        "quote": "A volume never shrinks.",
    }
    unread = {**judged, "text": "Pods sing.", "standing": "unsupported", "fault": "", "quote": ""}
    step = Step("verify", "failed", "statement", {"statements": [judged, unread]}, 3)
    lines = list(Asked(answer=answered(), steps=(step,)).explained())
    assert lines == [
        "verify: statement (3 ms, failed)",
        "    statements:",
        '        - "A volume shrinks."',
        (
            "            words model, standing contradicted, probability 0.021,"
            " fault a passage says otherwise"
        ),
        '            quote: "A volume never shrinks."',
        '        - "Pods sing."',
        "            words model, standing unsupported, probability 0.021",
        "budget in tokens: window 100 free 40",
        "statements of the answer:",
        '    - "A volume can grow, and never shrinks."',
        "        words document, probability 1.000, source 1",
        '        quote: "A volume can grow, and never shrinks."',
        '    - "A pod is the smallest thing that runs."',
        "        words model, probability 0.870, source 2",
        '        quote: "A pod is the smallest thing that runs."',
    ]
    refused = replace(answered(), statements=(), ledger=None)
    assert list(Asked(answer=refused, steps=()).explained()) == []


def test_a_draft_is_called_one_and_gone_when_it_is_taken_back() -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=400)
    with Live(console=console, auto_refresh=False) as live:
        steps = LiveSteps(live, style="")
        steps.hear(Provisional(1, "x" * TAIL + "half a \x1b[2J sentence"))
        live.refresh()
        assert "Unchecked draft: x" in out.getvalue()
        assert "half a \\x1b[2J sentence" in out.getvalue()
        steps.hear(Retracted(1, "no source\x07"))
        live.refresh()
        assert "Attempt 1 was retracted: no source\\x07" in out.getvalue()
        with steps.paused():
            assert not live.is_started
            out.seek(0)
            out.truncate()
        steps.hear(Step("verify", "failed", "it does not hold up", {}, 1))
        live.refresh()
    assert "Verify: it does not hold up (failed)" in out.getvalue()
    assert "draft" not in out.getvalue()
    assert [step.kind for step in steps.steps] == ["verify"]


def test_a_person_who_waits_sees_the_phase_the_progress_and_the_speed() -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=400)
    with Live(console=console, auto_refresh=False) as live:
        steps = LiveSteps(live, style="")
        for work, shown in (
            (Working("loading", 49_000_000, 98_000_000), "Loading the model: 49 of 98 MB"),
            (Working("reading", 64, 321, 22.08), "Reading the prompt: 64 of 321 tokens, 22.1 tok"),
            (Working("writing", 9, None, 8.5), "Writing: 9 tokens, 8.5 tokens/s"),
        ):
            steps.hear(work)
            live.refresh()
            assert shown in out.getvalue()
        steps.hear(Provisional(1, "A worker"))
        live.refresh()
        assert "Writing: 9 tokens, 8.5 tokens/s | Unchecked draft: A worker" in out.getvalue()
        steps.hear(Retracted(1, "no source"))
        steps.hear(Step("verify", "failed", "it does not hold up", {}, 1))
        out.seek(0)
        out.truncate()
        live.refresh()
        assert "Writing" not in out.getvalue()
        assert "Verify: it does not hold up" in out.getvalue()


def test_a_dumb_terminal_is_told_of_each_phase_once(capsys: pytest.CaptureFixture[str]) -> None:
    with steps_on(Screen(is_terminal=True), verbose=False) as heard:
        for done in (64, 128):
            heard.hear(Working("reading", done, 321))
        heard.hear(Working("writing", 1))
        heard.hear(Step("generate", "done", "attempt 1", {}, 1.0))
        heard.hear(Working("writing", 1))
        heard.hear(Provisional(2, "A worker"))
    assert capsys.readouterr().err.splitlines() == [
        "- model: reading the prompt: 64 of 321 tokens",
        "- model: writing: 1 token",
        "- model: writing: 1 token",
    ]


@pytest.mark.parametrize(
    ("tty", "environ", "expected"),
    [
        (False, {"TERM": "xterm"}, Screen()),
        (True, {"TERM": "dumb"}, Screen(is_terminal=True)),
        (True, {}, Screen(is_terminal=True)),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, Screen(is_terminal=True, lively=True)),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, LIVELY),
    ],
)
def test_a_screen_shows_what_its_stream_and_environment_allow(
    tty: bool, environ: dict[str, str], expected: Screen
) -> None:
    assert Screen.of(_Stream(tty), environ) == expected


class _Stream(StringIO):
    def __init__(self, tty: bool) -> None:
        super().__init__()
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty


def test_steps_stay_only_where_they_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for verbose, expected in (
        (False, ""),
        (True, "- search: searched\n- floor: no floor (skipped)\n- attempt 1 was retracted: x\n"),
    ):
        with steps_on(Screen(is_terminal=True), verbose=verbose) as heard:
            heard.hear(Step("search", "done", "searched", {}, 1.0))
            heard.hear(Step("floor", "skipped", "no floor", {}, 1.0))
            heard.hear(Retracted(1, "x"))
        assert capsys.readouterr().err == expected


def test_without_a_terminal_a_model_at_work_says_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with steps_on(PIPE, verbose=False) as heard:
        heard.hear(Working("writing", 1))
    assert capsys.readouterr().err == ""


def test_a_lively_terminal_shows_a_step_in_a_line_that_goes_away() -> None:
    for whole in (False, True):
        out = StringIO()
        console = Console(file=out, force_terminal=True, width=40)
        with Live(console=console, auto_refresh=False, transient=True) as live:
            steps = LiveSteps(live, style="", whole=whole)
            steps.hear(Step("rewrite", "skipped", "nothing", {}, 1.0))
            steps.hear(Step("search", "done", f"searched {'far ' * 40}", {}, 1.0))
            live.refresh()
            assert "Search: searched far" in out.getvalue()
            steps.hear(Provisional(1, f"{'word ' * 30}the last word"))
            live.refresh()
        drawn = OURS.sub("", out.getvalue())
        assert "the last word" in drawn
        assert ("- search: searched far" in drawn) is whole
        assert drawn.endswith("\x1b[1A\x1b[2K"), "the line is erased"


WORDS = "A volume that a container uses keeps its data when the container restarts or is moved. "
CODE = "```sh\ntether index apply a-folder-with-a-rather-long-name --index another-folder\n```"
ADDRESS = "https://ok.example/a/rather/long/address/that/does/not/fit/into/forty/columns/at/all"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_break_between_words_and_never_inside_code_or_an_address(width: int) -> None:
    screen = replace(LIVELY, width=width)
    first = replace(answered().citations[0], title=WORDS * 2, url=ADDRESS, reading=WORDS * 3)
    text = f"{WORDS * 3}Set `storage: 5Gi or more` and see {ADDRESS} for {WORDS}\n\n{CODE}\n\nEnd."
    answer = replace(
        answered(), text=text, citations=(first,), notes=(WORDS * 3,), model="m", statements=()
    )
    plain = OURS.sub("", text_of(answer, screen))
    lines = plain.splitlines()
    given = {*text_of(answer).split(), *CODE.split()}
    assert set(plain.split()) <= given, "no word was broken"
    kept = [line for line in lines if ADDRESS in line or "tether index apply" in line]
    assert [line for line in kept if "tether index" in line] == [CODE.splitlines()[1]]
    assert all(len(line) <= width for line in lines if line not in kept)
    assert any("`storage: 5Gi or more`" in line for line in lines)
    assert len(lines) > (8 if width == 200 else 20)


def test_wide_letters_take_two_columns_and_indentation_is_kept() -> None:
    assert wrapped("    one two three", 11, "  ") == "    one two\n      three"
    assert wrapped("東京 大阪 京都", 9) == "東京 大阪\n京都"
    assert wrapped("a `b c d e f g` h", 8) == "a `b c d\ne f g` h"
    assert wrapped("all words [1] [2] more", 14) == "all\nwords [1] [2]\nmore"
    assert wrapped("short\n\nlines", 8) == "short\n\nlines"
    assert wrapped("any text at all", 0) == "any text at all"


@pytest.mark.parametrize(
    ("text", "width"), [("72", 72), ("0", 0), ("", 0), ("many", 0), ("\u0663", 0)]
)
def test_the_width_is_that_of_the_variable_or_of_the_terminal(text: str, width: int) -> None:
    assert Screen.of(_Stream(tty=True), {"COLUMNS": text}).width == width
    assert Screen.of(_Stream(tty=False), {"COLUMNS": "72"}).width == 0


def test_a_quote_is_printed_only_where_the_answer_has_other_words() -> None:
    first, second = answered().citations
    said = "Volumes grow. [1] Run this:\n\n```sh\ntether ask\n```\n\n[2]"
    prose = replace(first, mark_start=14, mark_end=17)
    mark = said.index("[2]")
    code = replace(second, reading="Run this:\ntether ask", mark_start=mark, mark_end=mark + 3)
    answer = replace(answered(), text=said, citations=(prose, code), statements=())
    text = text_of(answer)
    assert '    "A volume can grow, and never shrinks."' in text
    assert text.count("tether ask") == 1


def test_a_file_that_changed_or_is_gone_is_named_beside_its_source(tmp_path: Path) -> None:
    docs = put(tmp_path / "docs", {"volumes.md": "x", "pods.md": "y"})
    files = DocumentFiles.of([str(docs)])
    same = replace(answered().citations[0], version=content_hash(b"x"))
    other = replace(answered().citations[1], version=content_hash(b"z"))
    answer = replace(answered(), citations=(same, other))
    changed = "    pods.md\n    (the file was changed after it was indexed)\n"
    assert changed in text_of(answer, files=files)
    assert text_of(answer, files=files).count("(the file") == 1
    (docs / "volumes.md").unlink()
    assert "    volumes.md#size\n    (the file is gone)\n" in text_of(answer, files=files)


def test_a_link_leads_to_the_file_without_a_detour(tmp_path: Path) -> None:
    put(tmp_path / "docs", {"a.md": "x"})
    files = DocumentFiles.of([f"{tmp_path}/docs/../docs"])
    there = (tmp_path / "docs" / "a.md").as_uri()
    assert link_target(files, "a.md", "", "top") == f"{there}#top"
