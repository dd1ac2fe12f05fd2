"""Places in a text that could be taken for our own tags, or for a command of a chat template.

Our tags are matched as a careless reader sees them, in any case and width, with mathematical and
old letters as plain ones. Control tokens are matched as tokenizers do: letter by letter.
"""

from __future__ import annotations

import re
from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from tether.trust.tag_shapes import LOOK_ALIKES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Words that chat templates treat as commands. An endpoint that tokenises a request with such words
# enabled takes them for turns, tools or the end of the text, wherever they occur. Collected from
# the published templates and tokenizer settings, each in its own case: `<PRE>` is a command of
# CodeLlama, `<pre>` is HTML. Left out are tokens that are ordinary text and mean nothing for turns
# or tools: the HTML of Gemma (`<table>`, `<h1>`), the marks of pictures in the first Qwen-VL
# (`<img>`, `<ref>`, `<box>`), the placeholders of StarCoder2 (`<NAME>`, `<EMAIL>`).
#
# Every token that begins with "<|" or "[|", the bar full-width or not, is covered by that alone:
# ChatML, GPT, Llama 3 and 4, Phi, Qwen, GLM, Granite, Command, Falcon, OLMo, Kimi, gpt-oss,
# DeepSeek, Hunyuan, EXAONE and others. So is a lower-case word that ends in "|>", as in Gemma 4.

ANGLED = (
    # SentencePiece, Llama 2, Mistral, T5, BERT and their heirs
    *("s", "unk", "pad", "mask", "cls", "sep", "bos", "eos", "eod", "eop", "sop", "eot", "eom"),
    *("bos_token", "eos_token", "pad_token", "unk_token", "mask_token", "cls_token", "sep_token"),
    *("beginoftext", "startoftext", "endoftext", "start_of_text", "end_of_text"),
    # Gemma, Gemma 3n and FunctionGemma
    *("start_of_turn", "end_of_turn", "start_of_image", "end_of_image", "image_soft_token"),
    *("start_of_audio", "end_of_audio", "audio_soft_token", "2mass"),
    *("start_function_call", "end_function_call", "start_function_response"),
    *("end_function_response", "start_function_declaration", "end_function_declaration", "escape"),
    # Qwen, DeepSeek, Hermes, GLM, Nemotron: thinking and tools
    *("think", "thinking", "answer", "tool_calls", "tool_responses", "tools", "tool_call_begin"),
    *("tool_call_end", "toolcall", "TOOLCALL", "available_tools", "AVAILABLE_TOOLS", "tool_list"),
    *("TOOL_RESPONSE", "function_calls", "function_call", "function_response", "arg_key"),
    "arg_value",
    # Command
    *("PAD", "UNK", "CLS", "SEP", "MASK_TOKEN", "BOS_TOKEN", "EOS_TOKEN", "EOP_TOKEN", "EOT_TOKEN"),
    # MiniMax
    *("minimax:tool_call", "begin_of_image", "fim_hole", "jupyter_error", "add_file"),
    *("delete_file", "rename_file", "edit_file", "code_interpreter", "commit_message"),
    *("beginning_of_sentence", "end_of_sentence"),
    # InternLM, Yi, Aquila
    *("eoh", "eoa", "eosys", "eoi"),
    # StarCoder, SmolLM2, Granite, CodeLlama: repositories, and filling in the middle
    *("fim_prefix", "fim_middle", "fim_suffix", "fim_pad", "file_sep", "repo_name", "reponame"),
    *("filename", "gh_stars", "issue_start", "issue_comment", "issue_closed", "jupyter_start"),
    *("jupyter_text", "jupyter_code", "jupyter_output", "jupyter_script", "empty_output"),
    *("commit_before", "commit_msg", "commit_after", "pr", "pr_status", "pr_is_merged", "pr_base"),
    *("pr_file", "pr_base_code", "pr_diff", "pr_diff_hunk", "pr_comment", "pr_event_id"),
    *("pr_review", "pr_review_state", "pr_review_comment", "pr_in_reply_to_review_id"),
    *("pr_in_reply_to_comment_id", "pr_diff_hunk_comment_line", "PRE", "SUF", "MID", "EOT"),
    # pictures: LLaVA, SmolVLM, InternVL
    *("image", "image_pad", "image_start", "image_end", "image_placeholder", "im_start", "im_end"),
    *("im_patch", "im_col_sep", "fake_token_around_image", "global-img", "end_of_utterance"),
    *("IMG_CONTEXT", "vision_start", "vision_end"),
)

WITH_ATTRIBUTES = ("invoke", "function", "parameter", "tool_call", "tool_response")
"""Angled, and a space, an equals sign or the end of the tag follows."""

FAMILIES = ("seed:[a-z_/]++", "longcat_[a-z_]++", r"row_\d++_col_\d++")
"""Angled: patterns for families with many tokens."""

NUMBERED = (
    *("unused", "unused_", "unused_token_", "UNUSED_TOKEN_", "TOKENS_UNUSED_", "reserved_"),
    *("extra_id_", "extra_", "special_", "SPECIAL_", "additional_special_token_", "mask:", "mask_"),
    *("unk_", "ctrl", "co:", "loc", "seg"),
)
"""Angled, and a number follows."""

SQUARED = (
    # Llama 2 and Mistral
    *("INST", "AVAILABLE_TOOLS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT", "SYSTEM_PROMPT"),
    *("PREFIX", "SUFFIX", "MIDDLE", "CALL_ID", "ARGS", "THINK", "IMG", "IMG_BREAK", "IMG_END"),
    *("AUDIO", "BEGIN_AUDIO", "TRANSCRIBE", "MODEL_SETTINGS", "STREAMING_PAD", "STREAMING_WORD"),
    *("NEXT_AUDIO_TEXT", "REPEAT_AUDIO_TEXT"),
    # Gemma, Nemotron
    *("multimodal", "@BOS@", "start_header_id", "end_header_id"),
    # BERT, GLM, Kimi
    *("CLS", "SEP", "PAD", "MASK", "UNK", "BOS", "EOS", "EOT", "gMASK", "sMASK"),
)

NUMBERED_SQUARED = ("control_", "UNUSED_TOKEN_", "unused")
"""In square brackets, and a number follows."""

HEADINGS = (
    *("TITLE", "ABSTRACT", "INTRODUCTION", "SUMMARY", "COMMENT", "ANSWER", "QUESTION", "DOMAIN"),
    *("PREFIX", "SUFFIX", "MIDDLE"),
)
"""Falcon: between `>>` and `<<`."""

ROLES = ("Human", "Assistant")
"""After an empty line and before a colon: a turn, in Claude's older prompts and Falcon's."""


_WIDE = "(?:lt|#65308|#65124);"
"""A reference to any of the brackets that fold to one."""

# An empty first line counts as one: a body begins after the line of its tag.
_TURN_STARTS = (r"\A\n", r"\A\r\n", r"\n\n", r"\n\r\n")

_SPACE = r"[^\S\n]*+(?:\n[^\S\n]*+)?+"

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz_<>[]/|:")

# The ranges of Unicode with characters that fold to those: compatibility letters and signs.
_RANGES = (
    range(0xAA, 0x200),
    range(0x2B0, 0x2E4),
    range(0x1D2C, 0x1DC0),
    range(0x1E9E, 0x1E9F),
    range(0x2070, 0x20A9),
    range(0x2100, 0x2180),
    range(0x2460, 0x2500),
    range(0x2C7C, 0x2C7E),
    range(0x3250, 0x3400),
    range(0xA7F1, 0xA7FA),
    range(0xAB5C, 0xAB6A),
    range(0xFB00, 0xFB07),
    range(0xFE10, 0xFE70),
    range(0xFF01, 0xFF5F),
    range(0x10780, 0x107BB),
    range(0x1CCD6, 0x1CCFA),
    range(0x1D400, 0x1D800),
    range(0x1F100, 0x1F1AE),
)


def rewritten(text: str, change: Callable[[str], str]) -> str:
    """Return `text` with each spot changed; the same object if it has no spots.

    A spot is the one character that makes a look-alike, or a reference to it (`&lt;`, `&amp;lt;`,
    `&#91;` …), in a context that makes it a tag or a token. The context of a spot reads the same
    however other spots are rewritten, so that a text and its rewritten form have the same spots.
    This makes rewriting reversible. A closing bracket is therefore never a spot: it is part of the
    context of `[INST]`.
    """
    if folds(text):
        return _with_folded_tags(text, change)
    return _spots().sub(lambda found: change(found[0]), text) if _may_hold(text) else text


def folded(text: str) -> str:
    """Return `text` in lower case, with each character that folds to a plain one replaced by it.

    Only characters that fold to a single character are replaced, so that a position in the result
    is a position in `text`. Ampersands, digits and semicolons are kept: folding must not create a
    reference.
    """
    return text.lower() if text.isascii() else text.translate(_table().single)


def folds(text: str) -> bool:
    """Return whether a character of `text` folds to a plain one, other than by its case."""
    return not text.isascii() and _foldable().search(text) is not None


def fold(character: str) -> str:
    """Return the compatibility folding of a character."""
    return normalize("NFKC", normalize("NFKC", character).casefold())


def spelling(words: Iterable[str], *, ligatures: bool = False) -> str:
    """Return a pattern for any of these words, with ligatures for words in folded text.

    Words with a common beginning share that part of the pattern: a text that has only beginnings is
    then rejected quickly.
    """
    left = frozenset(words)
    ways = [
        first + spelling(rest, ligatures=ligatures)
        for first in sorted({word[0] for word in left if word})
        if (rest := _after(first, left))
    ]
    ways += [
        f"[{characters}]{spelling(rest, ligatures=True)}"
        for plain, characters in (_table().several if ligatures else {}).items()
        if (rest := _after(plain, left))
    ]
    pattern = ways[0] if len(ways) == 1 else f"(?:{'|'.join(ways)})"
    return f"(?:{pattern})?" if ways and "" in left else pattern if ways else ""


def _may_hold(text: str) -> bool:
    """Return whether a text has a character of a spot, or a role: a quick first check."""
    return (
        "<" in text
        or "[" in text
        or "&" in text
        or "]" in text
        or any(role in text for role in ROLES)
    )


def _with_folded_tags(text: str, change: Callable[[str], str]) -> str:
    """Rewrite a text in which letters or brackets may look like those of a tag."""
    found = {match.start(): match.end() for match in _spots().finditer(text)}
    for match in _folded_tags().finditer(folded(text)):
        start, end = match.span()
        # Folding may have changed only the text after it: "&LT;" is not a reference.
        if end - start == 1 or text[start:end] == match[0]:
            found[start] = end
    pieces: list[str] = []
    done = 0
    for start in sorted(found):
        pieces += (text[done:start], change(text[start : found[start]]))
        done = found[start]
    return "".join((*pieces, text[done:])) if done else text


@cache
def _spots() -> re.Pattern[str]:
    """Each alternative begins with its own character, so that the engine skips all others."""
    tag = f"(?i:{_tag()})"
    angle, square = f"(?:{_after_angle()}|{tag})", _after_square()
    references = (
        f"lt;(?={angle})",
        f"(?:#65308|#65124);(?={tag})",
        f"#91;(?={square})",
    )
    behind_bracket = (r"lt;(?=\])", "#126;(?=!?b)", "#33;(?=[pd]~)")
    ways = (
        rf"<(?:(?={angle})|(?<=\]<)(?=\])|(?<=<<){_after_heading('<<')})",
        rf"\[(?={square})",
        r"~(?<=\]~)(?=!?b)",
        r"!(?<=\]!)(?=[pd]~)",
        f":{_in_turn(':')}",
        f"&(?:amp;)*+(?:{'|'.join(references)})",
        rf"&(?<=\]&)(?:amp;)*+(?:{'|'.join(behind_bracket)})",
        f"&(?<=<&){_after_heading('<&')}(?:amp;)*+lt;",
        f"&{_in_turn('&')}(?:amp;)*+#58;",
    )
    return re.compile("|".join(ways))


@cache
def _folded_tags() -> re.Pattern[str]:
    return re.compile(f"<(?={_tag()})|&(?:amp;)*+{_WIDE}(?={_tag()})")


def _in_turn(character: str) -> str:
    """Match after this character and the name of a role that opens a turn."""
    return f"(?:{'|'.join(f'(?<={s}{r}{character})' for r in ROLES for s in _TURN_STARTS)})"


def _after_heading(end: str) -> str:
    return f"(?:{'|'.join(f'(?<=>>{heading}{end})' for heading in HEADINGS)})"


def _tag() -> str:
    plain = {name[0] for name in LOOK_ALIKES}
    wide = (signs for letters, signs in _table().several.items() if _after(letters, LOOK_ALIKES))
    beginnings = "".join(sorted(plain.union(*wide)))
    return rf"(?=[\s/{beginnings}]){_SPACE}(?:/{_SPACE})?+{spelling(LOOK_ALIKES, ligatures=True)}"


def _after_angle() -> str:
    """Return the continuations that make an opening angle bracket a control token.

    None contains a character that could be a spot itself: `<[begin…]>` is safe because no token in
    square brackets begins like this.
    """
    words = spelling(f"{word}>" for word in (*ANGLED, "SYS>"))
    more = "|".join((*FAMILIES, rf"{spelling(NUMBERED)}\d++"))
    return (
        rf"/?(?:[|\uff5c]\S|{words}|(?:{more})>|{spelling(WITH_ATTRIBUTES)}[\s=>])"
        r"|[a-z_]++\|>|\[(?:begin|end|[A-Z]++_never_used)[\w\u2581]*+\]>"
    )


def _after_square() -> str:
    numbered = rf"{spelling(NUMBERED_SQUARED)}\d++"
    return rf"(?:[|\uff5c]\S|e~|/?(?:{spelling(SQUARED)}|{numbered})\])"


class _Table(NamedTuple):
    """Characters that fold to one plain character, and those that fold to several."""

    single: dict[int, str]
    several: dict[str, str]


@cache
def _foldable() -> re.Pattern[str]:
    """One range for everything beyond the first plane: the engine tries those one by one."""
    table = _table()
    wide = {chr(code) for code in table.single if code > 0x7F}.union(*table.several.values())
    near = "".join(sorted(character for character in wide if character <= "\uffff"))
    return re.compile(f"[{near}\U00010780-\U0001f1ad]")


def _after(beginning: str, words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.removeprefix(beginning) for word in words if word.startswith(beginning))


@cache
def _table() -> _Table:
    table = _Table({ord(letter.upper()): letter for letter in ascii_lowercase}, {})
    for code in (code for codes in _RANGES for code in codes):
        plain = fold(chr(code))
        if not _PLAIN.issuperset(plain):
            continue
        if len(plain) == 1:
            table.single[code] = plain
        else:
            table.several[plain] = table.several.get(plain, "") + chr(code)
    return table
