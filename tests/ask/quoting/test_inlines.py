"""Quoted text as it is shown: its words stay, and markup that would break the answer goes."""

from __future__ import annotations

import pytest

from tether.ask.quoting.inlines import addresses_as_code, shown


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Plain words  stay\n as they are.", "Plain words stay as they are."),
        ("> Quoted lines\n> lose their marks.", r"\> Quoted lines lose their marks."),
        ('See [the guide](https://a.example/x_(y) "t").', "See the guide."),
        ("See [`the` guide][ref] and [that][].", "See `the` guide and that."),
        ("An ![icon](i.png) image goes.", "An image goes."),
        ("[![badge](b.svg)](https://ci.example) It builds.", "It builds."),
        ("A claim[^1] with a note.", "A claim with a note."),
        ("A claim [2]_ with a note.", "A claim with a note."),
        ("Keep `code [a](b)` and **bold** and *soft* text.",) * 2,
        ("Keep ``ray.init`` and _soft_ and snake_case_names.",) * 2,
        ("An *open mark stays.", r"An \*open mark stays."),
        ("An **open mark* stays.", r"An \*\*open mark\* stays."),
        ("**The first of two ends.", "The first of two ends."),
        ("The second of two ends.**", "The second of two ends."),
        ("*args and **kwargs are passed.", r"\*args and \*\*kwargs are passed."),
        ("Type {:?} to debug.",) * 2,
        ("Set {name} and {0.x} or {.cls}.",) * 2,
        ("<T: Display> is a bound, as is <T>.", r"\<T: Display> is a bound, as is \<T>."),
        ("A <Note>word</Note> is marked.", "A word is marked."),
        ("Port 9.{: .cls }", "Port 9."),
        ("The [guide](x){ .button } and `code`{.py} are here.", "The guide and `code` are here."),
        ("One line\r\n> and another\rone.", "One line and another one."),
        ("Use a star (*) here.", r"Use a star (\*) here."),
        ("A hard break\\\n goes on, and ends.\\", "A hard break\\ goes on, and ends."),
        ("One ` tick goes.", "One tick goes."),
        ("2 * 3 is 6 and a * stays.", "2 * 3 is 6 and a * stays."),
        (
            "Call :meth:`Actor.run` on the :ref:`head node <head>`.",
            "Call `Actor.run` on the head node.",
        ),
        ("Call {func}`~ray.get` as {ref}`told <x>` there.", "Call `ray.get` as told there."),
        ("The `board <https://a.example>`_ and `list`_ exist.", "The board and list exist."),
        ('A {{< glossary_tooltip text="Pod" term_id="pod" >}} runs.', "A Pod runs."),
        ('A {{< glossary_tooltip term_id="node" >}} runs.', "A node runs."),
        ("A <b>bold</b> word<br>and a <span class='x'>span</span>.", "A bold word and a span."),
        ("Replace <pod-name> by a name.", r"Replace \<pod-name> by a name."),
        ("Text <!-- hidden --> goes on.", "Text goes on."),
        ("Text <!-- never closed.", "Text"),
        ("Open http://127.0.0.1:8000/docs.", "Open `http://127.0.0.1:8000/docs`."),
        ("Open <https://evil.example/x> now.", "Open `https://evil.example/x` now."),
        (
            "Ask www.evil.example or me@evil.example!",
            "Ask `www.evil.example` or `me@evil.example`!",
        ),
        ("Ask user@host at www. or so.",) * 2,
        ("See :ref:`an open role.", "See :ref:an open role."),
        ("Ask ww<b>w.evil</b>.example here.", "Ask `www.evil.example` here."),
        ("Ask [htt](x)p<i></i>://evil.example here.", "Ask `http://evil.example` here."),
        ("Ask www.[example](x) here.", "Ask `www.example` here."),
        ("A title {#anchor} here.",) * 2,
        ("A title {#anchor}", "A title"),
        (r"An escaped \* and \[x](y) stay.", r"An escaped \* and \[x]\(y) stay."),
        ("1986. That was the year.", r"1986\. That was the year."),
        ("# Not a heading.", r"\# Not a heading."),
        ("- not an item.", r"\- not an item."),
        ("zero\u200bwidth and \u202ebidi marks go.", "zerowidth and bidi marks go."),
        ("[[a](b)](http://evil.example) goes.", "a goes."),
        (
            "Half a link](http://evil.example) is none.",
            r"Half a link]\(`http://evil.example`) is none.",
        ),
        ("<<b>script>alert</script> is none.", r"\<script>alert is none."),
        ('<retrievable_ab12 nonce="x">inner</retrievable_ab12> text.', "inner text."),
    ],
)
def test_the_words_stay_and_what_would_break_goes(source: str, expected: str) -> None:
    assert shown(source) == expected


def test_markup_that_is_joined_by_dropped_markup_is_read_again() -> None:
    def nested(depth: int) -> str:
        return "{" + nested(depth - 1) + "{< x >}}" if depth else "<b></b>"

    assert shown(f"At www.a.example ww{nested(1)}w.evil.example.") == (
        "At `www.a.example` `www.evil.example`."
    )
    assert shown(f"At www.a.example ww{nested(9)}w.evil.example.") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("At http://a.example/x_(y), now.", "At `http://a.example/x_(y`), now."),
        ("Ask www.a.example or me@a.example!", "Ask `www.a.example` or `me@a.example`!"),
        ("Keep `www.a.example` as it is.",) * 2,
        (r"Keep \`www.a.example and \www.", r"Keep \``www.a.example` and \www."),
        (
            "See www.a.example:\n\n```\nwww.a.example\n```",
            "See `www.a.example`:\n\n```\nwww.a.example\n```",
        ),
        ("```\nwww.a.example\n```",) * 2,
        ("Plain words, e.g. main.rs and 1.2.",) * 2,
    ],
)
def test_addresses_are_set_as_code_but_in_code(text: str, expected: str) -> None:
    assert addresses_as_code(text) == expected
