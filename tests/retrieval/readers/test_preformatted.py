"""Prose in preformatted text is read as paragraphs; code, output and tables stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.retrieval.readers.dispatch import read_document
from tether.retrieval.readers.preformatted import Part, prose_in

STOPPING = """\
Harbour knows a soft and a hard stop. The hard stop is simple: when the signal
arrives, the process quits, and every open connection is closed.

The soft stop is triggered by another signal. It only leaves the listening
ports, and goes on with the -sf connections that are open until they close.

    harbour stop --soft
    harbour status

After that the process ends by itself, and nothing else has to be done by hand.
"""
CODE = """\
// The server listens on the port that the settings name, and waits for clients.
const server = listen(settings.port);
for (const client of server) {
  client.close();
}
"""
OUTPUT = """\
NAME      READY   STATUS    RESTARTS   AGE
harbour   1/1     Running   0          5m
"""
TREE = "\n".join(f"├── folder-{n}\n│   └── file" for n in range(12))


def test_paragraphs_and_what_is_between_them() -> None:
    found = prose_in(STOPPING)
    assert [one.is_prose for one in found] == [True, True, False, True]
    assert found[0].text.startswith("Harbour knows a soft and a hard stop. The hard stop is simple")
    assert "\n" not in found[0].text
    assert found[2] == Part("harbour stop --soft\nharbour status", is_prose=False)


@pytest.mark.parametrize("text", ["", "\n", CODE, OUTPUT, TREE, "ls -l", "Only a few words here."])
def test_what_is_not_prose_stays_as_it_is(text: str) -> None:
    assert prose_in(text) == []


def test_a_remark_above_much_code_does_not_make_prose_of_it() -> None:
    remark = "This is how a client of the server is written in any of the languages we know of."
    code = "\n\n".join(f"  call {n} with first second third fourth fifth" for n in range(9))
    assert prose_in(f"{remark} {remark}\n\n{code}\n") == []


def page(inside: str) -> str:
    html = f"<html><body><h1>Stopping</h1><p>See below.</p><pre{inside}</pre></body></html>"
    return read_document(key="a.html", name="a.html", data=html.encode()).text


def test_a_page_of_plain_text_is_read_as_paragraphs_and_code() -> None:
    text = page(f">{STOPPING}")
    assert "when the signal arrives, the process quits" in text
    assert "```\nharbour stop --soft\nharbour status\n```" in text


@pytest.mark.parametrize(
    "inside", [f"><code>{STOPPING}</code>", f' class="language-text">{STOPPING}', f">{CODE}"]
)
def test_what_is_marked_as_code_stays_code(inside: str) -> None:
    text = page(inside)
    assert text.count("```") == 2
    assert "when the signal arrives, the process" not in text


@given(st.text(alphabet="ab .\n;{", max_size=200))
def test_no_word_is_lost(text: str) -> None:
    found = prose_in(text)
    assert not found or " ".join(one.text for one in found).split() == text.split()
