"""The tools of the category text_analysis."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.batteries.testing import run_tool
from tether.batteries.tools.text_analysis import text_analyze, text_lines
from tether.runtime.errors import InvalidToolArgs
from tether.runtime.tool import Tool

# Lincoln at Gettysburg, the Bliss copy: known for its 272 words, "battle-field" counted as two, in
# 10 sentences.
GETTYSBURG = """\
Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived
in Liberty, and dedicated to the proposition that all men are created equal.

Now we are engaged in a great civil war, testing whether that nation, or any nation so conceived and
so dedicated, can long endure. We are met on a great battle-field of that war. We have come to
dedicate a portion of that field, as a final resting place for those who here gave their lives that
that nation might live. It is altogether fitting and proper that we should do this.

But, in a larger sense, we can not dedicate -- we can not consecrate -- we can not hallow -- this
ground. The brave men, living and dead, who struggled here, have consecrated it, far above our poor
power to add or detract. The world will little note, nor long remember what we say here, but it can
never forget what they did here. It is for us the living, rather, to be dedicated here to the
unfinished work which they who fought here have thus far so nobly advanced. It is rather for us to
be here dedicated to the great task remaining before us -- that from these honored dead we take
increased devotion to that cause for which they gave the last full measure of devotion -- that we
here highly resolve that these dead shall not have died in vain -- that this nation, under God,
shall have a new birth of freedom -- and that government of the people, by the people, for the
people, shall not perish from the earth.
"""


async def test_a_speech_has_the_words_and_sentences_it_is_known_for() -> None:
    result = await run_tool(
        text_analyze, {"text": GETTYSBURG.replace("battle-field", "battle field")}
    )
    assert (result["words"], result["sentences"], result["paragraphs"]) == (272, 10, 3)
    assert (await run_tool(text_analyze, {"text": GETTYSBURG}))["words"] == 271


# Counted by hand, character by character.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Hello world. Hello again!\n",
            {
                "characters": 26,
                "characters_without_spaces": 22,
                "words": 4,
                "unique_words": 3,
                "average_word_length": 5.0,
                "sentences": 2,
                "paragraphs": 1,
                "lines": 1,
            },
        ),
        ("", {"characters": 0, "words": 0, "average_word_length": 0, "sentences": 0, "lines": 0}),
        (" \n\t\n", {"characters_without_spaces": 0, "sentences": 0, "paragraphs": 0, "lines": 2}),
        ("don't re-use 3.14 or 1,000 e-mails, ok", {"words": 7}),
        ("well--known", {"words": 2}),
        ("a,b", {"words": 2}),
        ("我爱北京天安门。你呢\uff1f", {"words": 9, "sentences": 2}),
        ("東京タワーへ行く。", {"words": 8, "sentences": 1}),
        ("안녕하세요 세계", {"words": 2}),
        ("हिन्दी भाषा", {"words": 2}),
        ("re\u0301sume\u0301 résumé", {"words": 2, "unique_words": 2, "characters": 15}),
        ("\u0645\u06cc\u200c\u062e\u0648\u0645 \u0628\u0631\u0648\u0645", {"words": 2}),
        ("STRASSE straße", {"unique_words": 1}),
        ("👍🏽 ok", {"characters": 5, "words": 1}),
        ("one\r\ntwo\rthree\nfour", {"lines": 4, "paragraphs": 1}),
        ("one\u2028two\u0085three\x0cfour", {"lines": 1}),  # case 179
        ("a\n\n\n \nb\r\n\r\nc", {"paragraphs": 3, "sentences": 3}),
    ],
)
async def test_a_text_is_counted(text: str, expected: dict[str, Any]) -> None:
    result = await run_tool(text_analyze, {"text": text})
    assert {name: result[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith met Mrs. Jones. They talked.", 2),
        ("J. R. R. Tolkien wrote it.", 1),
        ("The U.S. Army came at 5 p.m. It was late.", 2),
        ("See Fig. 3 and No. 5. He said no. Then he left.", 3),
        ("It costs 3.50 at example.com today.", 1),
        ("Use tools, e.g. hammers, i.e. Hammers.", 1),
        ("Acme Inc. announced it. Good.", 2),
        ('"Really?" he asked. "Yes!" She left.', 3),
        ("Wait... what? No! Yes?! ok.", 4),
        ("(Dr. Who came.) He left.", 2),
        ("Is it? yes. it is", 2),
        ("A heading\n\nA text.", 2),
        ("...", 0),
        ("End . Next", 2),
        ("Plan B. Then C.", 2),
        ("She lives in the U.S. The rest came later.", 2),
        ('We chose vitamin C. "It works," she said.', 2),
        ("Moved to the U.S. in May. A. A. Milne wrote.", 2),
        ("Plan B. 7 did it.", 1),
    ],
)
async def test_abbreviations_end_no_sentence(text: str, sentences: int) -> None:
    assert (await run_tool(text_analyze, {"text": text}))["sentences"] == sentences


async def test_times_follow_from_the_rates() -> None:
    result = await run_tool(text_analyze, {"text": "word " * 476})
    assert (result["reading_seconds"], result["speaking_seconds"]) == (120, 156)
    arguments = {"text": "word " * 100, "reading_rate": 100, "speaking_rate": 50}
    result = await run_tool(text_analyze, arguments)
    assert (result["reading_seconds"], result["speaking_seconds"]) == (60, 120)


@given(text=st.text())
async def test_counts_agree_with_each_other(text: str) -> None:
    result = await run_tool(text_analyze, {"text": text})
    assert result["unique_words"] <= result["words"] <= result["characters"]
    assert result["sentences"] <= result["words"]
    assert result["paragraphs"] <= result["lines"] <= result["characters"]
    assert result["characters_without_spaces"] <= result["characters"] == len(text)


FRUIT = " pear\nApple\n\nfig\n pear\n\t\nApple"


@pytest.mark.parametrize(
    ("options", "lines", "counts"),
    [
        ({}, [" pear", "Apple", "", "fig", " pear", "\t", "Apple"], (7, 0, 0, 0)),
        ({"drop_blank": True}, [" pear", "Apple", "fig", " pear", "Apple"], (7, 2, 0, 0)),
        ({"trim": True}, ["pear", "Apple", "", "fig", "pear", "", "Apple"], (7, 0, 0, 0)),
        ({"deduplicate": True}, [" pear", "Apple", "", "fig", "\t"], (7, 0, 2, 0)),
        ({"trim": True, "deduplicate": True}, ["pear", "Apple", "", "fig"], (7, 0, 3, 0)),
        (
            {"drop_blank": True, "trim": True, "deduplicate": True, "sort": "ascending"},
            ["Apple", "fig", "pear"],
            (7, 2, 2, 0),
        ),
        ({"sort": "descending", "limit": 2}, ["fig", "Apple"], (7, 0, 0, 5)),
        (
            {"drop_blank": True, "deduplicate": True, "number": True, "limit": 2},
            [{"number": 1, "text": " pear"}, {"number": 2, "text": "Apple"}],
            (7, 2, 2, 1),
        ),
    ],
)
async def test_lines_are_filtered(
    options: dict[str, Any], lines: list[Any], counts: tuple[int, ...]
) -> None:
    result = await run_tool(text_lines, {"text": FRUIT, **options})
    assert result["lines"] == lines
    names = ("lines_in_text", "blank_lines_dropped", "duplicates_dropped", "not_shown")
    assert tuple(result[name] for name in names) == counts


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("a\n\rb", ["a", "", "b"]),
        ("a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg", ["a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"]),
    ],
)
async def test_only_lf_crlf_and_cr_end_a_line(text: str, lines: list[str]) -> None:  # case 179
    assert (await run_tool(text_lines, {"text": text}))["lines"] == lines


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8")), max_size=20)
)
async def test_deduplicating_keeps_the_first_of_each(lines: list[str]) -> None:
    arguments = {"text": "".join(f"{line}\n" for line in lines), "deduplicate": True}
    assert (await run_tool(text_lines, arguments))["lines"] == list(dict.fromkeys(lines))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (text_analyze, {"text": "a" * 200_001}),
        (text_analyze, {"text": "a", "reading_rate": 0}),
        (text_lines, {"text": "a", "limit": 0}),
        (text_lines, {"text": "a", "sort": "sideways"}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(tool: Tool, arguments: Any) -> None:
    with pytest.raises(InvalidToolArgs):
        await run_tool(tool, arguments)


async def test_a_word_of_many_letters_is_one_word() -> None:  # case 177
    result = await run_tool(text_analyze, {"text": "a\u0301" * 100_000})
    assert (result["words"], result["sentences"]) == (1, 1)
