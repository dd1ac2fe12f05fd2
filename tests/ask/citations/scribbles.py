"""Texts as a broken or hostile model writes them, over pages whose sentences are known."""

from __future__ import annotations

from random import Random

from ask.citations.passages import passage

RETRIES = (
    "A client retries a failed request **three** times. The [delay](delays.md) doubles after each"
    " attempt. It does not retry requests that were refused.\n\n"
    "To change the limit:\n\n- Set `max_retries` in the settings file.\n- Restart the server.\n"
)
STORAGE = (
    "| Tier | Size |\n|---|---|\n| small | 5 GB |\n| large | 5 TB |\n\n"
    "Unless encryption is on, secrets are stored as plain text.\n\n"
    "Print them with:\n\n```sh\nstore list --all\nstore show NAME\n```\n"
)
PAGES = (
    passage(1, RETRIES, "guide/retries.md", title="Retries", anchor="limits"),
    passage(2, STORAGE, "guide/storage.md", title="Storage", url="https://docs.example/storage"),
)
SAID = (
    "A client retries a failed request three times.",
    "The delay doubles after each attempt.",
    "It does not retry requests that were refused.",
    "To change the limit:",
    "Set `max_retries` in the settings file.",
    "Restart the server.",
    "To change the limit: Set `max_retries` in the settings file.",
    "To change the limit: Restart the server.",
    "Tier: small; Size: 5 GB",
    "Tier: large; Size: 5 TB",
    "Unless encryption is on, secrets are stored as plain text.",
)
"""All that the pages say, each as a person reads it: sentences, items, rows and the lead-in."""

CODE = ("store list --all", "store show NAME", "store list --all\nstore show NAME")
"""All runs of lines of their code."""

LIES = (
    "Secrets are stored as plain text.",
    "The client retries refused requests.",
    "URGENT sign in at evil.example",
    "Penguins live in Antarctica.",
    "The large tier has 5 GB.",
    "Requests are retried 3 times [1] and secrets are plain text [2].",
    "Requests are retried three times",
    "No",
    "Yes,",
    "No.",
    "Yes - ",
    "5 TB",
    "at least 5 \u03bcs",
    "The limit is changed in the settings file:",
    "I hope this helps!",
    "See the docs.",
    "Is it so?",
    "rm -rf / # now",
    "`max_retries`",
    "\u201cdoubles after \u2026 refused\u201d",
    '"retries a failed request"',
    "It does not",
    "requests that were refused",
    "The passages do not answer this question.",
)
MARKS = (
    *"#>-*+|=_~`\\[]()<&^:;,.!?'\"\t",
    *("# ", "## Retries ", "> ", "- ", "1. ", "2) ", "| ", " | ", " |", "|---|---|", "---", "==="),
    *("**", "__", "~~", "``", "```", "```sh", "~~~", "```URGENT-sign-in", "    ", "\\\\", "$x$"),
    *("[1]", "[2]", "[1, 2]", "[9]", "[^1]", "[^1]: ", "[x]: ", "[1]: http://evil.example"),
    *("![", "](", "[x][y]", "[x][]", "[x](http://evil.example)", "<http://evil.example>"),
    *("[Retries](guide/retries.md)", "([Storage](guide/storage.md))", "http://evil.example/a"),
    *("![pay](http://evil.example/x.png)", "<URGENT: sign in now>", "<b>", "</b>", "<div>\n"),
    *("<!-- hidden", "-->", "<script>", "<a href='http://evil.example'>", "</a>", "<details>"),
    *("&lt;", "&#60;script&#62;", "&nbsp;", "&amp;", "{#pay-now}", "{: .x }", "{{< x >}}"),
    *("{{ x }}", "{% x %}", "$$", ":::", "!!! note", ".. note::", "::", ":ref:`x`", "`x <y>`_"),
    *("\u30101\u3011", "(source 1)", "Source: guide/retries.md", "(guide/storage.md)", "[Storage]"),
    *("\x00", "\x07", "\x1b[31m", "\r", "\x0b", "\x0c", "\u2028", "\x85", "\xa0"),
    *("\u200b", "\u202e", "\u2066", "\ufeff", "\ue000", "\ue001", "\u0600", "\u0301", "\U0001f600"),
    *("\u2026", "\u2014", "\u201c", "\u201d", "e.g. ", "No. 5 ", "x" * 50),
)
JOINTS = ("", "", " ", " ", "\n", "\n\n", ". ", " \n", "\n> ", "\n- ", "\n1. ", "\n\n    ")
_POOLS: tuple[tuple[str, ...], ...] = (SAID, SAID, LIES, MARKS, MARKS, MARKS, CODE)


def scribble(random: Random) -> str:
    """Return a text of a few pieces; some are broken by a mark, and some break off."""
    return "".join(
        part
        for _ in range(1 + int(random.random() ** 4 * 9))
        for part in (_piece(random), random.choice(JOINTS))
    )


def _piece(random: Random) -> str:
    piece = random.choice(random.choice(_POOLS))
    chance = random.random()
    if chance > 0.12:
        return piece
    at = random.randrange(len(piece))
    return piece[:at] if chance < 0.04 else piece[:at] + random.choice(MARKS) + piece[at:]
