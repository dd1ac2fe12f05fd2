"""Manual pages: headings, paragraphs and definitions, without fonts and escapes."""

from __future__ import annotations

import gzip

import pytest

from retrieval.readers.pages import read, shape
from tether.retrieval.document import Document
from tether.retrieval.errors import DocumentUnreadable
from tether.retrieval.readers import man
from tether.retrieval.readers.names import kind_of
from tether.text.units import units_of

HEAD = ".TH TOOL 1\n"

PAGE = r"""'\" t
.\" A comment.
.TH TOOL 1 2024-01-01
.SH NAME
tool \- do \fIone\fP thing
.SH SYNOPSIS
.B tool
.RB [ \-v ]
.I file
.br
.OP \-x name
.SH OPTIONS
.TP
.BR \-v ", " \-\-verbose
Be loud.
This is the default.
.IP
It may be given twice.
.TP
.B \-q
.TQ
.B \-\-quiet
Be quiet.
.RS
.IP \(bu 2
one
.IP \(bu 2
two
.RE
.TP
.B \-o
.nf
tool \-o  x \e
  y
.fi
.PP
After the list.
.IP 1. 4
first
.IP 2. 4
second
.SS Notes
A line\c
 goes on, \(lqquoted\(rq \(em and \[u00E9]\(*a\('e.
.UR https://e.org
the page
.UE .
"""


def body(text: str, name: str = "tool.1") -> str:
    """Return what is below the title of a page."""
    return read(f"{HEAD}{text}", name).text.partition("\n\n")[2]


def definitions(document: Document) -> list[tuple[str, str]]:
    found = units_of(document.text)
    return [(unit.lead_text, unit.text) for unit in found if unit.kind == "definition"]


def test_a_page_reads_like_markdown_without_its_fonts() -> None:
    page = read(PAGE, "tool.1")
    assert (page.kind, page.title) == ("man", "tool(1)")
    assert page.text == (
        "# tool(1)\n\n## NAME\n\ntool - do one thing\n\n## SYNOPSIS\n\n"
        "tool [-v] file \n[-x name]\n\n## OPTIONS\n\n"
        "-v, --verbose\n: Be loud. This is the default.\n: It may be given twice.\n\n"
        "-q, --quiet\n: Be quiet.\n  - one\n  - two\n\n-o\n\n"
        "```\ntool -o  x \\\n  y\n```\n\nAfter the list.\n\n1. first\n2. second\n\n### Notes\n\n"
        "A line\ngoes on, “quoted” — and éαé. the page ⟨https://e.org⟩."
    )
    assert [block.anchor for block in page.blocks if block.level == 2] == [
        *("NAME", "SYNOPSIS", "OPTIONS"),
    ]


def test_options_are_definitions() -> None:
    assert definitions(read(PAGE, "tool.1")) == [
        ("-v, --verbose", "Be loud. This is the default."),
        ("-v, --verbose", "It may be given twice."),
        ("-q, --quiet", "Be quiet."),
    ]


def test_short_lines_above_indented_text_are_terms_as_in_pages_from_docbook() -> None:
    text = (
        ".PP\n\\-a, \\-\\-all\n.RS 4\nShow all.\n.sp\nEven more.\n.RE\n.sp\n\\-b\n.RS 4\nShow b.\n"
        ".RE\n.PP\nFor example:\n.RS\nindented words\n.RE\n"
    )
    assert body(text) == (
        "-a, --all\n: Show all.\n: Even more.\n\n-b\n: Show b.\n\nFor example:\n\nindented words"
    )


def test_hanging_bullets_of_docbook_are_items() -> None:
    text = (
        ".RS 4\n.ie n \\{\\\n"
        "\\h'-04' 1.\\h'+01'\\c\n.\\}\n.el \\{\\\n.IP \" 1.\" 4.2\n.\\}\nfirst\n"
        ".RE\n.RS 4\n\\h'-04'\\(bu\\h'+03'\\c\npoint\n.RE\n"
    )
    assert body(text) == "1. first\n\n- point"


MDOC = r""".Dd January 1, 2024
.Dt TOOL 8
.Os
.Sh NAME
.Nm tool
.Nd does one thing
.Sh SYNOPSIS
.Nm
.Op Fl vx
.Op Fl o Ar file
.Ar
.Sh DESCRIPTION
The
.Nm
tool reads
.Pa /etc/tool ,
see
.Xr other 5 .
.Bl -tag -width Ds
.It Fl v , Fl Fl verbose
Be
.Em loud .
.Pp
Twice is louder.
.It Fl o Xo
.Ar file
.Xc
Write to a
.Ar file .
.Bl -bullet
.It
one
.It
two
.El
.El
.Bd -literal -offset indent
tool -v  x
.Ed
.Dl tool -x
.Bl -enum
.It
first
.El
.Bl -column a b
.It Sy Name Ta Sy Use
.It x Ta y
.El
.Ss Functions
.Fn open "const char *path" "int flags"
and
.Dq quoted text ,
.Oo Fl x Oc
.Pf ( Ar x )
.Ev HOME Ns = Ns Pa / .
.Fx 13
conforms to
.St -p1003.1 .
.In stdio.h
it
.Ap s
.Fl
.Rs
.%A A. Author
.%T A book
.Re
.Ex -std
.Rv -std
.Bd -filled
Filled words.
.Ed
.br
.sp
"""


def test_mdoc_reads_the_same() -> None:
    page = read(MDOC, "tool.8")
    assert page.title == "tool(8)"
    assert page.text.startswith(
        "# tool(8)\n\n## NAME\n\ntool – does one thing\n\n## SYNOPSIS\n\n"  # noqa: RUF001
        "tool [-vx] [-o file] file ...\n\n## DESCRIPTION\n\n"
        "The tool tool reads /etc/tool, see other(5).\n\n"
        "-v, --verbose\n: Be loud.\n: Twice is louder.\n\n"
        "-o file\n: Write to a file.\n  - one\n  - two\n\n"
        "```\ntool -v  x\n```\n\n```\ntool -x\n```\n\n1. first\n\n"
        "| Name | Use |\n| x | y |\n\n### Functions\n\n"
        "open(const char *path, int flags) and “quoted text”, [-x] (x) HOME=/. FreeBSD 13"
        " conforms to p1003.1. <stdio.h> it 's -\n\nA. Author, A book. The tool utility exits 0"
    )
    assert page.text.endswith("the error.\n\nFilled words.")
    assert ("-v, --verbose", "Be loud.") in definitions(page)


def test_tables_are_rows_under_their_header() -> None:
    text = (
        ".TS\nallbox tab(:);\n"
        "lB lB\nl l.\nName:Use\nT{\na\n.B word\nT}:T{\nlong\ntext\nT}\n_\nx:\\^\n"
        ".T&\nl l.\ny:z\n.TE\n"
    )
    assert body(text) == (
        "| Name | Use |\n| --- | --- |\n| a word | long text |\n| x |  |\n| y | z |"
    )
    rows = [unit.text for unit in units_of(body(text)) if unit.kind == "row"]
    assert rows == ["Name: a word; Use: long text", "Name: x", "Name: y; Use: z"]
    ruled = ".TS\nl l.\na\tb\n_\n1\t2\n"
    assert body(ruled) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_conditions_strings_and_macros_of_a_page_are_followed() -> None:
    text = r""".ds Name thing
.as Name s
.nr yes 1
.de Say
Say \\$1 and \\$*.
..
.als Tell Say
.ig
ignored
..
.ie n On a terminal.
.el On paper.
.if t Never.
.if !t Always.
.if \n[yes]>0 Greater.
.if \n[yes]=2 Never.
.if 'a'a' Same.
.if \n(.g \{\
Modern
.\}
.if t \{\
Never
.if n \{ Never \}
.\}
The \*[Name].
.Say one two
.Tell three
.el Otherwise.
.XX unknown
.EQ
x over y
.EN
"""
    assert body(text) == (
        "On a terminal. Always. Greater. Same. Modern The things. Say one and one two."
        " Say three and three."
    )


def test_escapes_are_characters_or_nothing() -> None:
    text = (
        r"\fBb\fR\f(CWc\f[I]i\s-1s\s0 \h'2n'a\v'1'b \N'65' \C'em' \[u2014] \(xx\[nope] \o'ab' \e"
        "\\~x\\0y\\&\\%\\:z \\*(Tm \\(:a \\N'1114112' \\N'7' \\(*A end\\"
    )
    assert body(text) == "bcis ab A — — ab \\ x yz ™ ä Α end"  # noqa: RUF001


def test_a_page_that_only_points_to_another_one_is_empty_and_says_so() -> None:
    page = read(".so man1/other.1\n", "tool.1")
    assert (page.text, page.blocks) == ("", ())
    assert page.notes == ("it points to man1/other.1, not read",)
    assert page.title == "tool(1)"


def test_compressed_pages_are_unpacked_within_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(PAGE.encode())
    assert read(packed, "tool.1.gz").text == read(PAGE, "tool.1").text
    with pytest.raises(DocumentUnreadable, match="cut off"):
        read(packed[:-20], "tool.1.gz")
    with pytest.raises(DocumentUnreadable, match="damaged"):
        read(packed[:-8] + b"x" * 8, "tool.1.gz")
    monkeypatch.setattr(man, "MOST_BYTES", 100)
    with pytest.raises(DocumentUnreadable, match=r"more than 0\.0001 MB"):
        read(packed, "tool.1.gz")


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("ls.1", b".TH LS 1\n", "man"),
        ("open.3pm", b'.\\" x\n.TH OPEN 3\n', "man"),
        ("ls.8", b".Dd x\n.Dt LS 8\n", "man"),
        ("ls.1.gz", gzip.compress(b".TH LS 1\n"), "man"),
        ("ls.1.gz", b"\x1f\x8bbroken", "man"),
        ("notes.1.gz", gzip.compress(b"Words.\n"), "text"),
        ("release-2.1", b"Words of a release.\n", "text"),
        ("lib.so.1", b".TH LS 1\n", "text"),
        ("x.7z", b".TH LS 1\n", "text"),
        ("x", b".TH LS 1\n", "text"),
    ],
)
def test_a_manual_page_is_told_by_name_and_content(name: str, data: bytes, kind: str) -> None:
    assert kind_of(name, "", data) == kind
    assert kind_of("page", "application/x-troff-man", b"") == "man"


def test_titles_keep_the_letter_case_of_the_file() -> None:
    assert read(".TH GIT\\-X 1\n.SH A\nb\n", "git-x.1").title == "git-x(1)"
    assert read('.TH "" ""\n.SH A\nb\n', "X.3").title == "X"
    assert read(".SH A\nb\n", "Thing.3pm").title == "Thing(3pm)"
    assert read(".TH Other 5\n.SH A\nb\n", "Thing.3").title == "Other(5)"


def test_other_marks_are_terms_and_numbers_without_points_are_numbers() -> None:
    assert (
        body(".IP word 4\nWhat it means.\n.IP 7\nseven\n") == "word\n: What it means.\n\n7. seven"
    )
    assert body(".SY tool\n.OP \\-x\n.YS\n.UE\nwords\n.nf\na\n.br\n.sp\n.PP\nb\n.RS\n.RE\n") == (
        "tool [-x]\n\nwords\n\n```\na\n\n\nb\n```"
    )


def test_indentation_that_is_too_deep_stays_on_the_last_level() -> None:
    begin, end = ".RS\n" * 10, ".RE\n" * 10
    assert body(f"{begin}in\n{end}.PP\nout\n") == "in\n\nout"
    begin, end = ".Bl -bullet\n.It\nx\n" * 10, ".El\n" * 11
    assert read(f".Dt A 1\n.Sh B\n{begin}{end}out\n", "a.1").text.endswith("\n\nout")


def test_words_of_mdoc_keep_their_spaces() -> None:
    lines = {
        ".Xr a 1 , b": "a(1), b",
        ".Pa": "~",
        ".Nm": "",
        ".Op Fl a | Fl b .": "[-a | -b].",
        ".Fn f .": "f().",
        ".Pf x Ar y": "xy",
        ".Rs\n.Re": "",
        ".Ic a ( b )": "a (b)",
    }
    for line, shown in lines.items():
        assert read(f".Dt A 1\n.Sh B\nx\n{line}\n", "a.1").text.endswith(f"x {shown}".rstrip())


def test_broken_pages_lose_no_more_than_what_is_broken() -> None:
    assert body(".de XX\n.SH A\nwords\n") == "## A\n\nwords"
    assert body(".if t \\{\nnever\n") == ""
    assert body(".SH\n.RE\n.RE\nwords\n.TP\n") == "words"
    assert body(".nr x +1\n.if n \\{\nwords\n.\\}\n.nf\n.EX\nx\n.EE\n") == ("words\n\n```\nx\n```")
    assert body(".TS\nl.\na\n\nb\n.TE\n") == "| a |\n| b |"
    assert body(".nf\n\n.fi\n.TS\nl.\n.TE\nwords\n") == "words"
    assert body(".TP\n.SH A\nb\n.IP\nc\n.El\n") == "## A\n\nb\n\nc"
    assert shape(read(f"{HEAD}.TS\nl.\na\n", "a.1"))[-1] == ("table", "a")


def test_a_damaged_compressed_page_says_so() -> None:
    with pytest.raises(DocumentUnreadable, match="damaged"):
        read(b"\x1f\x8bbroken", "tool.1.gz")


def test_a_line_of_text_that_is_a_comment_is_nothing() -> None:
    text = read(HEAD + '.SH NAME\ntool\n\\" hidden\nworks.\n', "tool.1").text
    assert "hidden" not in text
    assert "tool works." in text
