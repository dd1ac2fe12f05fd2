"""The units of pages as the readers extract them: web pages, notebooks, tables in chunks."""

from __future__ import annotations

import json

from retrieval.readers.pages import read
from tether.retrieval.chunking.chunker import Chunker, ChunkSettings
from tether.text.units import units_of

PAGE = """
<html><body><main><h1>The gate</h1>
<p>It opens at <code>six</code>. It is <b>old</b>.</p>
<p>It has:</p>
<ul><li><p>a lock. It is new.</p><p>It has a key:</p><ul><li>of iron</li></ul></li>
<li>a <a href="x">hinge</a></li></ul>
<p>Open it so:</p>
<pre><code class="language-sh">open gate &amp;&amp;
  go</code></pre>
<table><caption>The gates of it are here</caption>
<tr><th>Gate</th><th>Opens</th></tr><tr><td>north</td><td>at six | seven</td></tr></table>
<table><tr><td>east</td><td>never</td></tr><tr><td>west</td><td>always</td></tr></table>
<dl><dt>pier</dt><dd>A way over water. It is long.</dd></dl>
</main></body></html>
"""


def units(text: str) -> list[tuple[str, str, str]]:
    return [(unit.kind, unit.lead_text, unit.text) for unit in units_of(text)]


def test_a_web_page() -> None:
    assert units(read(PAGE, "page.html").text) == [
        ("sentence", "", "It opens at six."),
        ("sentence", "", "It is old."),
        ("item", "It has:", "a lock. It is new. It has a key:"),
        ("item", "It has: a lock. It is new. It has a key:", "of iron"),
        ("item", "It has:", "a hinge"),
        ("code", "Open it so:", "open gate &&\n  go"),
        ("row", "", "Gate: north; Opens: at six | seven"),
        ("row", "", "east; never"),
        ("row", "", "west; always"),
        ("definition", "pier", "A way over water. It is long."),
    ]


def test_a_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": "# Gates\n\nWe count them. Run this:"},
        {
            "cell_type": "code",
            "source": "n = 2\nprint(n)",
            "outputs": [{"output_type": "stream", "text": "2"}],
        },
        {"cell_type": "markdown", "source": "| Gate | Opens |\n|---|---|\n| north | six |"},
    ]
    found = units_of(read(json.dumps({"cells": cells, "nbformat": 4}), "a.ipynb").text)
    assert [(unit.kind, unit.lead_text, unit.text) for unit in found] == [
        ("sentence", "", "We count them."),
        ("code", "Run this:", "n = 2\nprint(n)"),
        ("code", "", "2"),
        ("row", "", "Gate: north; Opens: six"),
    ]
    assert {unit.path for unit in found} == {("Gates",)}


def test_the_rows_of_a_table_that_was_split_keep_their_names() -> None:
    rows = [f"| gate number {number} | at {number} in the morning |" for number in range(80)]
    markdown = "\n".join(["# Gates", "", "| Gate | Opens |", "|---|---|", *rows])
    border = "=" * 16 + "  " + "=" * 25
    simple = [f"gate number {number:<6}at {number} in the morning" for number in range(80)]
    rst = "\n".join(["Gates", "=====", "", border, f"{'Gate':<18}Opens", border, *simple, border])
    for text, name in ((markdown, "a.md"), (rst, "a.rst")):
        chunks = Chunker(ChunkSettings(size=100)).chunks(read(text, name))
        assert len(chunks) > 5
        found = {
            unit.text for chunk in chunks for unit in units_of(chunk.text, header=chunk.header)
        }
        assert found == {
            f"Gate: gate number {number}; Opens: at {number} in the morning" for number in range(80)
        }
