"""Source code: comments as prose, definitions as headings, lines as code."""

from __future__ import annotations

import pytest

from retrieval.readers.pages import pieces, read, shape
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers.names import READABLE_ENDINGS

PYTHON = '''\
#!/usr/bin/env python
# -*- coding: rot13 -*-
"""The module. It does things.

In two paragraphs.
"""

import os  # stays code

TEXT = "# no comment"

# A comment. It has
# two lines.
#
# And another.
class Thing(Base):
    r"""A thing."""

    def method(self) -> None:
        value = """
        def not_a_definition():
        """
        return value


async def run(): ...
'''


STRING = """\
        value = \"""
        def not_a_definition():
        \"""
        return value"""


def test_python_docstrings_comments_and_definitions() -> None:
    page = read(PYTHON, "pkg/mod.py")
    assert shape(page) == [
        ("code", "#!/usr/bin/env python"),
        ("paragraph", "-*- coding: rot13 -*- The module. It does things."),
        ("paragraph", "In two paragraphs."),
        ("code", 'import os  # stays code\nTEXT = "# no comment"'),
        ("paragraph", "A comment. It has two lines."),
        ("paragraph", "And another."),
        ("heading", "class Thing(Base)"),
        ("paragraph", "A thing."),
        ("heading", "def method(self) -> None"),
        ("code", STRING),
        ("heading", "async def run(): ..."),
    ]
    headings = [(block.level, block.anchor) for block in page.blocks if block.level]
    assert headings == [(2, "L16"), (3, "L19"), (2, "L26")]
    assert page.title == "pkg/mod.py"
    assert pieces(page.blocks[1]) == ["-*- coding: rot13 -*- The module.", "It does things."]


TYPESCRIPT = """\
/**
 * Adds. Twice.
 * @param a one
 */
export function add(a: number) {
  return `// no ${a}`; // tail
}
"""
RUST = """\
//! Crate docs.

/// Item docs.
pub(crate) async fn f<'a>(x: &'a str) {
    let c = '\\'';
}
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.ts",
            TYPESCRIPT,
            [
                ("paragraph", "Adds. Twice. @param a one"),
                ("heading", "export function add(a: number)"),
                ("code", "  return `// no ${a}`; // tail\n}"),
            ],
        ),
        (
            "a.rs",
            RUST,
            [
                ("paragraph", "Crate docs."),
                ("paragraph", "Item docs."),
                ("heading", "pub(crate) async fn f<'a>(x: &'a str)"),
                ("code", "    let c = '\\'';\n}"),
            ],
        ),
        (
            "a.go",
            "// Package a does it.\npackage a\n\nfunc (t *T) Do() error {\n\treturn nil\n}\n",
            [
                ("paragraph", "Package a does it."),
                ("code", "package a"),
                ("heading", "func (t *T) Do() error"),
                ("code", "\treturn nil\n}"),
            ],
        ),
        (
            "a.sh",
            "# Sets up.\nset -e\nrun() {\n  echo \"$#\" '#' ${x#y}\n}\n",
            [
                ("paragraph", "Sets up."),
                ("code", "set -e"),
                ("heading", "run()"),
                ("code", "  echo \"$#\" '#' ${x#y}\n}"),
            ],
        ),
        (
            "a.rb",
            "=begin\nLong words.\n=end\nclass A\n  def b; end # x\n",
            [
                ("paragraph", "Long words."),
                ("heading", "class A"),
                ("heading", "def b; end # x"),
            ],
        ),
        (
            "a.toml",
            "# About.\n[tool.x]\nkey = 1\n[[list]]\n",
            [
                ("paragraph", "About."),
                ("heading", "[tool.x]"),
                ("code", "key = 1"),
                ("heading", "[[list]]"),
            ],
        ),
        (
            "a.ini",
            "; About.\n[part]\nkey = a # b\n",
            [("paragraph", "About."), ("heading", "[part]"), ("code", "key = a # b")],
        ),
        (
            "a.sql",
            "-- Gets all.\nSELECT '--';\n",
            [("paragraph", "Gets all."), ("code", "SELECT '--';")],
        ),
        ("a.yaml", "# About.\nkey: 'a # b'\n", [("paragraph", "About."), ("code", "key: 'a # b'")]),
        (
            "a.clj",
            ";; Doc.\n(defn f [x] x)\n",
            [("paragraph", "Doc."), ("heading", "(defn f [x] x)")],
        ),
        ("a.vue", "<!-- A part. -->\n<p>x</p>\n", [("paragraph", "A part."), ("code", "<p>x</p>")]),
        ("a.ml", "(* Doc. *)\nlet x = 1\n", [("paragraph", "Doc."), ("code", "let x = 1")]),
        ("a.css", "/* Doc. */\na { }\n", [("paragraph", "Doc."), ("code", "a { }")]),
        ("a.erl", "%% Doc.\nf() -> ok.\n", [("paragraph", "Doc."), ("code", "f() -> ok.")]),
        ("a.json", '{"a": "# b // c"}\n', [("code", '{"a": "# b // c"}')]),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 8 else "",
)
def test_each_language_writes_comments_its_own_way(
    name: str, text: str, expected: list[tuple[str, str]]
) -> None:
    assert shape(read(text, name)) == expected


def test_rules_and_empty_comments_are_no_prose() -> None:
    assert shape(read("#####\n# ---\n#\nx = 1\n# -- Title --\n", "a.py")) == [
        ("code", "x = 1"),
        ("paragraph", "-- Title --"),
    ]
    assert read("# ===\n", "a.py").blocks == ()
    assert read("", "a.py").blocks == ()


def test_a_comment_beside_code_belongs_to_the_code() -> None:
    assert shape(read("a = 1; /* x */\n/* y */ b = 2\n", "a.js")) == [
        ("code", "a = 1; /* x */\n/* y */ b = 2")
    ]


def test_code_without_end_is_parted() -> None:
    page = read("x = 1\n" * 900, "a.py")
    assert [len(block.pieces) for block in page.blocks] == [400, 400, 100]


def test_a_long_line_defines_nothing_and_stays_one_piece() -> None:
    page = read("def " + "f" * 100_000, "a.py")
    assert [(block.kind, len(block.pieces)) for block in page.blocks] == [("code", 1)]


def test_binary_data_under_a_source_name_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="binary"):
        read(b"\x7fELF\x02\x01\x00", "a.py")


@pytest.mark.parametrize(
    "ending", sorted(end for end, kind in READABLE_ENDINGS.items() if kind == "source")
)
def test_no_source_ending_is_without_a_reader(ending: str) -> None:
    page = read("alpha beta\n", f"x{ending}")
    assert page.kind == "source"
    assert shape(page) == [("code", "alpha beta")]
