"""Parts of a passage in readable form: the words stay, and markup goes."""

from __future__ import annotations

import pytest

from tether.text.units.inlines import has_hole, readable


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Plain words  stay\n as they are.", "Plain words stay as they are."),
        ("One line\n> and another\r\n> > one.", "One line and another one."),
        ("**Bold**, *soft*, ~~gone~~ and ***both*** _ways_.", "Bold, soft, gone and both ways."),
        ("snake_case_n, 2 * 3, *args and **kwargs.",) * 2,
        ("**The first of two ends.", "The first of two ends."),
        ("The second of two ends.**", "The second of two ends."),
        (
            "Keep `code [a](b)` and ``two`` and ``a ` b``.",
            "Keep `code [a](b)` and `two` and ``a ` b``.",
        ),
        ("One ` tick goes.", "One tick goes."),
        (
            'See [the *guide*](x_(y) "t"), [that][ref] and [this][].',
            "See the guide, that and this.",
        ),
        ("An index such as rows[0][1] stays.",) * 2,
        ("[![badge](b.svg)](https://ci.example) It builds.", "It builds."),
        ("A claim[^1] with [2]_ notes.", "A claim with notes."),
        (
            "Call :py:meth:`~Actor.run` on the :ref:`head node <head>`.",
            "Call `Actor.run` on the head node.",
        ),
        ("Call {func}`~ray.get` as {ref}`told <x>` there.", "Call `ray.get` as told there."),
        ("An :odd: mark, and :ref:`an open role.", "An :odd: mark, and :ref:an open role."),
        ("The `board <https://a.example>`_ and `list`_ exist.", "The board and list exist."),
        ('A {{< glossary_tooltip text="Pod" >}} runs.', "A Pod runs."),
        ("A <b>bold</b> word<br>and <!-- not --> a <T>.", "A bold word and a <T>."),
        ("An open <!-- comment goes on.", "An open"),
        ("A &lt; B &amp; C\\* \\_d.", "A < B & C* _d."),
        (
            "See https://a.example/a_b_c_*x* and <https://b.example>.",
            "See https://a.example/a_b_c_*x* and https://b.example.",
        ),
        ("A title {#anchor}", "A title"),
        ("The `code`{.py} and {1, 2} and {name} stay.", "The `code` and {1, 2} and {name} stay."),
    ],
)
def test_the_words_stay_and_markup_goes(source: str, expected: str) -> None:
    assert readable(source) == expected


def test_a_template_that_puts_in_other_words_is_a_hole() -> None:
    assert has_hole("Kubernetes v{{< skew currentVersion >}} is out.")
    assert has_hole("Use {% if x %}this{% endif %}.")
    assert not has_hole('A {{< glossary_tooltip text="Pod" term_id="pod" >}} runs.')
    assert not has_hole("A set {1, 2} is written so.")
    assert not has_hole("Use `{{ value }}` to print a value.")
