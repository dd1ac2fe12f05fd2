"""JSONPath: the tables of RFC 9535, and its grammar."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tether.batteries.languages.json.jsonpath import LONGEST_PATH, JsonPath
from tether.core.errors import InputRefused, LimitExceeded

BOOKS: list[dict[str, Any]] = [
    {
        "category": "reference",
        "author": "Nigel Rees",
        "title": "Sayings of the Century",
        "price": 8.95,
    },
    {
        "category": "fiction",
        "author": "Evelyn Waugh",
        "title": "Sword of Honour",
        "price": 12.99,
    },
    {
        "category": "fiction",
        "author": "Herman Melville",
        "title": "Moby Dick",
        "isbn": "0-553-21311-3",
        "price": 8.99,
    },
    {
        "category": "fiction",
        "author": "J. R. R. Tolkien",
        "title": "The Lord of the Rings",
        "isbn": "0-395-19395-8",
        "price": 22.99,
    },
]
BICYCLE = {"color": "red", "price": 399}
STORE = {"store": {"book": BOOKS, "bicycle": BICYCLE}}
AUTHORS = [book["author"] for book in BOOKS]

NAMES = {"o": {"j j": {"k.k": 3}}, "'": {"@": 2}}
WILDCARDS = {"o": {"j": 1, "k": 2}, "a": [5, 3]}
LETTERS = list("abcdefg")
FILTERS: dict[str, Any] = {
    "a": [3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}],
    "o": {"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}},
    "e": "f",
}
BELOW: dict[str, Any] = {"o": {"j": 1, "k": 2}, "a": [5, 3, [{"j": 4}, {"k": 6}]]}
NULLS: dict[str, Any] = {"a": None, "b": [None], "c": [{}], "null": 1}

# The tables of RFC 9535, by section. Where it leaves the order of members open, ours is the
# document's.
TABLES: list[tuple[Any, str, list[Any]]] = [
    # 1.5
    (STORE, "$.store.book[*].author", AUTHORS),
    (STORE, "$..author", AUTHORS),
    (STORE, "$.store.*", [BOOKS, BICYCLE]),
    (STORE, "$.store..price", [8.95, 12.99, 8.99, 22.99, 399]),
    (STORE, "$..book[2]", [BOOKS[2]]),
    (STORE, "$..book[2].author", ["Herman Melville"]),
    (STORE, "$..book[2].publisher", []),
    (STORE, "$..book[-1]", [BOOKS[3]]),
    (STORE, "$..book[0,1]", BOOKS[:2]),
    (STORE, "$..book[:2]", BOOKS[:2]),
    (STORE, "$..book[?@.isbn]", BOOKS[2:]),
    (STORE, "$..book[?@.price<10]", [BOOKS[0], BOOKS[2]]),
    # 2.2.3
    ({"k": "v"}, "$", [{"k": "v"}]),
    # 2.3.1.3
    (NAMES, "$.o['j j']", [{"k.k": 3}]),
    (NAMES, "$.o['j j']['k.k']", [3]),
    (NAMES, '$.o["j j"]["k.k"]', [3]),
    (NAMES, """$["'"]["@"]""", [2]),
    # 2.3.2.3
    (WILDCARDS, "$[*]", [{"j": 1, "k": 2}, [5, 3]]),
    (WILDCARDS, "$.o[*]", [1, 2]),
    (WILDCARDS, "$.o[*, *]", [1, 2, 1, 2]),
    (WILDCARDS, "$.a[*]", [5, 3]),
    # 2.3.3.3
    (["a", "b"], "$[1]", ["b"]),
    (["a", "b"], "$[-2]", ["a"]),
    # 2.3.4.3
    (LETTERS, "$[1:3]", ["b", "c"]),
    (LETTERS, "$[5:]", ["f", "g"]),
    (LETTERS, "$[1:5:2]", ["b", "d"]),
    (LETTERS, "$[5:1:-2]", ["f", "d"]),
    (LETTERS, "$[::-1]", list("gfedcba")),
    (WILDCARDS, "$.*[:1]", [5]),
    # 2.3.5.3
    (FILTERS, "$.a[?@.b == 'kilo']", [{"b": "kilo"}]),
    (FILTERS, "$.a[?(@.b == 'kilo')]", [{"b": "kilo"}]),
    (FILTERS, "$.a[?@>3.5]", [5, 4, 6]),
    (FILTERS, "$.a[?@.b]", [{"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}]),
    (FILTERS, "$[?@.*]", [FILTERS["a"], FILTERS["o"]]),
    (FILTERS, "$[?@[?@.b]]", [FILTERS["a"]]),
    (FILTERS, "$.o[?@<3, ?@<3]", [1, 2, 1, 2]),
    (FILTERS, '$.a[?@<2 || @.b == "k"]', [1, {"b": "k"}]),
    (FILTERS, '$.a[?match(@.b, "[jk]")]', [{"b": "j"}, {"b": "k"}]),
    (FILTERS, '$.a[?search(@.b, "[jk]")]', [{"b": "j"}, {"b": "k"}, {"b": "kilo"}]),
    (FILTERS, "$.o[?@>1 && @<4]", [2, 3]),
    (FILTERS, "$.o[?@.u || @.x]", [{"u": 6}]),
    (FILTERS, "$.a[?@.b == $.x]", [3, 5, 1, 2, 4, 6]),
    (FILTERS, "$.a[?@ == @]", FILTERS["a"]),
    # 2.5.1.3
    (LETTERS, "$[0, 3]", ["a", "d"]),
    (LETTERS, "$[0:2, 5]", ["a", "b", "f"]),
    (LETTERS, "$[0, 0]", ["a", "a"]),
    # 2.5.2.3
    (BELOW, "$..j", [1, 4]),
    (BELOW, "$..[0]", [5, {"j": 4}]),
    (
        BELOW,
        "$..*",
        [BELOW["o"], BELOW["a"], 1, 2, 5, 3, BELOW["a"][2], {"j": 4}, {"k": 6}, 4, 6],
    ),
    (BELOW, "$..o", [{"j": 1, "k": 2}]),
    (BELOW, "$.o..[*, *]", [1, 2, 1, 2]),
    (BELOW, "$.a..[0, 1]", [5, 3, {"j": 4}, {"k": 6}]),
    # 2.6.1
    (NULLS, "$.a", [None]),
    (NULLS, "$.a[0]", []),
    (NULLS, "$.a.d", []),
    (NULLS, "$.b[0]", [None]),
    (NULLS, "$.b[*]", [None]),
    (NULLS, "$.b[?@]", [None]),
    (NULLS, "$.b[?@==null]", [None]),
    (NULLS, "$.c[?@.d==null]", []),
    (NULLS, "$.null", [1]),
]


@pytest.mark.parametrize(("document", "path", "found"), TABLES)
def test_the_examples_of_the_rfc(document: Any, path: str, found: list[Any]) -> None:
    assert JsonPath(path).find(document) == found


# RFC 9535, 2.3.5.3, the table of comparisons.
@pytest.mark.parametrize(
    ("comparison", "holds"),
    [
        ("$.absent1 == $.absent2", True),
        ("$.absent1 <= $.absent2", True),
        ("$.absent == 'g'", False),
        ("$.absent1 != $.absent2", False),
        ("$.absent != 'g'", True),
        ("1 <= 2", True),
        ("1 > 2", False),
        ("13 == '13'", False),
        ("'a' <= 'b'", True),
        ("'a' > 'b'", False),
        ("$.obj == $.arr", False),
        ("$.obj != $.arr", True),
        ("$.obj == $.obj", True),
        ("$.obj != $.obj", False),
        ("$.arr == $.arr", True),
        ("$.arr != $.arr", False),
        ("$.obj == 17", False),
        ("$.obj != 17", True),
        ("$.obj <= $.arr", False),
        ("$.obj < $.arr", False),
        ("$.obj <= $.obj", True),
        ("$.arr <= $.arr", True),
        ("1 <= $.arr", False),
        ("1 >= $.arr", False),
        ("1 > $.arr", False),
        ("1 < $.arr", False),
        ("true <= true", True),
        ("true > true", False),
    ],
)
def test_the_comparisons_of_the_rfc(comparison: str, holds: bool) -> None:
    document = {"obj": {"x": "y"}, "arr": [2, 3]}
    assert bool(JsonPath(f"$[?{comparison}]").find(document)) is holds


# RFC 9535, 2.3.5.2.2: equality of numbers by value, of arrays and objects by their parts.
@pytest.mark.parametrize(
    ("one", "other", "are_equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (0, None, False),
        (2**53 + 1, float(2**53), False),
        ("", None, False),
        ([1, [2, {"a": 3}]], [1.0, [2.0, {"a": 3.0}]], True),
        ([1], [True], False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ([], {}, False),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": {"b": None}}, {"a": {"b": False}}, False),
        ({"a": 1}, {"a": 1, "b": 1}, False),
    ],
)
def test_equality_goes_all_the_way_down(one: Any, other: Any, are_equal: bool) -> None:
    document = [{"one": one, "other": other}]
    for left, right in (("one", "other"), ("other", "one")):
        assert bool(JsonPath(f"$[?@.{left} == @.{right}]").find(document)) is are_equal
        assert bool(JsonPath(f"$[?@.{left} != @.{right}]").find(document)) is not are_equal


# RFC 9535, 2.4.4 to 2.4.8.
@pytest.mark.parametrize(
    ("document", "path", "found"),
    [
        (["ab", "é\U0001f600", [1, 2], {"a": 1, "b": 2}, 22, None, True], "$[?length(@)==2]", 4),
        ([{"a": 1}, {}], "$[?length(@.a) == length(@.b)]", 2),
        ([[1, 2], [1]], "$[?count(@.*) == 2]", 1),
        ([[1], [2]], "$[?count(@) == 1]", 2),
        ([{"a": {"c": "x"}}, {"a": {"c": "x"}, "b": {"c": "y"}}], "$[?value(@..c) == 'x']", 1),
        ([{"a": 1}], "$[?value(@.x) == value(@.y)]", 1),
        (["ab", "b", "abc"], "$[?match(@, 'a.*')]", 2),
        (["xab", "b"], "$[?search(@, 'a.')]", 1),
        (["a", 5, None, ["a"]], "$[?search(@, 'a')]", 1),
        ([{"t": "abc", "p": "b"}, {"t": "abc", "p": "x"}], "$[?search(@.t, @.p)]", 1),
        ([{"t": "abc", "p": 1}], "$[?search(@.t, @.p)]", 0),
        (["a"], "$[?length(value($[0])) == 1]", 1),
    ],
)
def test_functions(document: Any, path: str, found: int) -> None:
    assert len(JsonPath(path).find(document)) == found


# RFC 9485, section 5: a dot matches any character but the ends of a line. RFC 9535, 2.4.6: what is
# not a valid pattern matches nothing.
@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("a.b", ["axb", "a\u2028b", "a.b"]),
        ("a(.|x)b", ["axb", "a\u2028b", "a.b"]),
        (r"a\\.b", ["a.b"]),
        ("a[.]b", ["a.b"]),
        (r"a[\\].]b", ["a.b"]),
        ("a[^x]b", ["a\nb", "a\rb", "a\u2028b", "a.b"]),
        (r"a[[:punct:].]b", ["a.b"]),
        (r"a[[:^alpha:].]b", ["a\nb", "a\rb", "a\u2028b", "a.b"]),
        (r"\\Qa.b\\E", ["a.b"]),
        (r"\\Qa.b", ["a.b"]),
        (r"\\Qa\\E.b", ["axb", "a\u2028b", "a.b"]),
        ("(?s)a.b", ["axb", "a\nb", "a\rb", "a\u2028b", "a.b"]),
        ("(?is:A.b)", ["axb", "a\nb", "a\rb", "a\u2028b", "a.b"]),
        ("(?i)A.b", ["axb", "a\u2028b", "a.b"]),
    ],
)
def test_patterns_are_those_of_i_regexp(pattern: str, matches: list[str]) -> None:
    texts = ["axb", "a\nb", "a\rb", "a\u2028b", "a.b"]
    assert JsonPath(f"$[?match(@, '{pattern}')]").find(texts) == matches
    assert JsonPath(f"$[?search(@, '{pattern}')]").find(texts) == matches


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("$[?@.a = 1]", "equality is written =="),
        ("$[?(@.a = 1)]", "equality is written =="),
        ("$[?@.a == 1 and @.b]", "and is written &&"),
        ("$[?@.a == 1 AND @.b]", "and is written &&"),
        ("$[?@.a or @.b]", "or is written ||"),
        ("$[?@.a =~ /x/]", "write search("),
        ("$[?@.a in ['x']]", "write @ == 'a' ||"),
        ("$[?@.a not 1]", "not is written !"),
        ("$.foo-bar", "['foo-bar']"),
        ("$[?@.foo-bar == 1]", "['foo-bar']"),
    ],
)
def test_what_other_languages_write_is_recognised(path: str, said: str) -> None:
    with pytest.raises(InputRefused) as refused:
        JsonPath(path)
    assert said in refused.value.message


@pytest.mark.parametrize("pattern", ["[", "a(?=x)xb", r"(a)\\1", "*"])
def test_a_pattern_that_cannot_be_used_is_refused_where_it_is_written(pattern: str) -> None:
    with pytest.raises(InputRefused, match=r"cannot be used.*RE2"):
        JsonPath(f"$[?match(@, '{pattern}')]")
    document = {"pattern": json.loads(f'"{pattern}"'), "texts": ["a", "axb"]}
    assert JsonPath("$.texts[?match(@, $.pattern)]").find(document) == []


def test_the_length_of_a_pattern_is_that_of_the_text_as_it_is_written() -> None:
    assert JsonPath(f"$[?match(@, '{'.' * 512}')]").find(["x" * 512]) == ["x" * 512]
    with pytest.raises(LimitExceeded, match="513 characters"):
        JsonPath(f"$[?match(@, '{'.' * 513}')]")
    with pytest.raises(LimitExceeded, match="too many dots"):
        JsonPath(f"$[?match(@, '{'.' * 512}')]").find(["\r"])
    assert JsonPath(f"$[?match(@, '{'.' * 100}')]").find(["\r" * 100, "\t" * 100]) == ["\t" * 100]


# RFC 9535, the grammar of appendix A: where blanks may stand, and what a string may hold.
@pytest.mark.parametrize(
    "path",
    [
        "$ .a",
        "$\n['a']",
        "$[ 'a' ]",
        '$["a"]',
        r"""$['\u0061']""",
        "$..['a']",
        "$[?@['a']]",
        "$[? @ ['a'] == 1 ]",
        "$[?1==@.a]",
        "$[?(@.a)&&!(@.x)]",
        "$[? ! @.x ]",
        "$[?length( @.a )>=0||@.a]",
        "$[?@.a]",
    ],
)
def test_ways_to_write_the_same(path: str) -> None:
    inner = {"a": 1}
    is_filter = "?" in path
    found = JsonPath(path).find([inner] if is_filter else inner)
    assert found == ([inner] if is_filter else [1])


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a'b", r"'a\'b'"),
        ('a"b', r'"a\"b"'),
        ('a"b', "'a\"b'"),
        ("a'b", '"a\'b"'),
        ("\b\f\n\r\t/\\", r"'\b\f\n\r\t\/\\'"),
        ("\U0001f600", r"'\uD83D\ude00'"),
        ("\x7f\u2028é", "'\x7f\u2028é'"),
        ("", "''"),
    ],
)
def test_names_in_quotes(name: str, written: str) -> None:
    assert JsonPath(f"$[{written}]").find({name: 1}) == [1]


def test_positions_in_a_comparison() -> None:
    pairs = [[1, 2], [1], [], {"0": 1}]
    assert JsonPath("$[?@[0] == 1]").find(pairs) == [[1, 2], [1]]
    assert JsonPath("$[?@[-2]]").find(pairs) == [[1, 2]]


def test_names_behind_a_dot_may_be_in_any_script() -> None:
    document = {"é_9": 1, "名前": 2, "☺": 3, "_": 4}
    assert [JsonPath(f"$.{name}").find(document) for name in document] == [[1], [2], [3], [4]]


# RFC 9535, the grammar of appendix A, 2.1.1 (the range of integers) and 2.4.3 (types of functions,
# with the table of examples there).
@pytest.mark.parametrize(
    ("path", "place", "said"),
    [
        ("", 1, "'$' at the beginning"),
        (" $", 1, "'$'"),
        ("a.b", 1, "'$'"),
        ("$ ", 2, "or the end"),
        ("$a", 2, "or the end"),
        ("$.", 3, "a name or '*'"),
        ("$..", 4, "a name or '*'"),
        ("$...a", 4, "a name or '*'"),
        ("$. a", 3, "a name or '*'"),
        ("$.'a'", 3, "a name or '*'"),
        ("$.1", 3, "a name or '*'"),
        ("$.a-b", 4, "or the end"),
        ("$[]", 3, "a quoted name"),
        ("$[a]", 3, "a quoted name"),
        ("$['a'", 6, "']' or ','"),
        ("$['a',]", 7, "a quoted name"),
        ("$['a]", 3, "a quoted name"),
        ("$['a\\x']", 3, "escapes"),
        ("$['\\\"']", 3, "escapes"),
        ('$["\\\'"]', 3, "escapes"),
        ("$['\\ud800']", 3, "surrogate"),
        ("$['\ud800']", 3, "surrogate"),
        ("$['a\nb']", 3, "a quoted name"),
        ("$[01]", 3, "a quoted name"),
        ("$[-0]", 3, "a quoted name"),
        ("$[+1]", 3, "a quoted name"),
        ("$[1.0]", 4, "']' or ','"),
        ("$[9007199254740992]", 3, "whole number"),
        ("$[:-9007199254740992]", 4, "whole number"),
        ("$[1:2:3:4]", 8, "']' or ','"),
        ("$[0:1e18:1]", 6, "']' or ','"),
        ("$[(@.length-1)]", 3, "a quoted name"),
        ("$[?]", 4, "a literal"),
        ("$[?true]", 4, "a comparison"),
        ("$[?'a']", 4, "a comparison"),
        ("$[?1 && @.a]", 4, "a comparison"),
        ("$[?@.a == ]", 11, "a literal"),
        ("$[?@.a = 1]", 8, "']' or ','"),
        ("$[?@.a == 01]", 12, "']' or ','"),
        ("$[?@.a == .5]", 11, "a literal"),
        ("$[?@.a == 1e999]", 11, "range of a double"),
        ("$[?@.a == True]", 11, "a literal"),
        ("$[?@.a == nullx]", 11, "a literal"),
        ("$[?@.a == [1]]", 11, "a literal"),
        ("$[?@.a & @.b]", 8, "']' or ','"),
        ("$[?@.a == 1 == 2]", 13, "']' or ','"),
        ("$[?@.a + 1 == 2]", 8, "']' or ','"),
        ("$[?!@.a == 1]", 9, "']' or ','"),
        ("$[?!!@.a]", 5, "a literal"),
        ("$[?(@.a]", 8, "')'"),
        ("$[?(@.a) == 1]", 10, "']' or ','"),
        ("$[?@.* == 1]", 4, "one value"),
        ("$[?1 == @..a]", 9, "one value"),
        ("$[?@[0:1] == 1]", 4, "one value"),
        ("$[?@['a','b'] == 1]", 4, "one value"),
        ("$[?length(@.*) < 3]", 11, "one value"),
        ("$[?length(@) ]", 4, "a comparison"),
        ("$[?length(match(@.a, 'a')) < 3]", 11, "a value"),
        ("$[?length() == 1]", 4, "one argument"),
        ("$[?length(@, @) == 1]", 4, "one argument"),
        ("$[?length(@.a == 1) == 1]", 15, "',' or ')'"),
        ("$[?length(@", 12, "',' or ')'"),
        ("$[?length (@) == 1]", 4, "a literal"),
        ("$[?Length(@) == 1]", 4, "a literal"),
        ("$[?count(1) == 1]", 10, "a path"),
        ("$[?count(length(@)) == 1]", 10, "a path"),
        ("$[?match(@.timezone, 'Europe/.*') == true]", 4, "a value"),
        ("$[?true == search(@, 'a')]", 12, "a value"),
        ("$[?match(@.a)]", 4, "two arguments"),
        ("$[?value(@..color)]", 4, "a comparison"),
        ("$[?nosuch(@)]", 4, "length, count, value, match, search"),
        ("$.a[?@.__class__()]", 17, "']' or ','"),
    ],
)
def test_a_path_that_is_wrong_is_refused_at_its_place(path: str, place: int, said: str) -> None:
    with pytest.raises(InputRefused, match="Paths follow RFC 9535") as refused:
        JsonPath(path)
    assert f"at character {place}: expected" in refused.value.message
    assert said in refused.value.message


# RFC 9535, 2.4.9: the examples that are well-typed.
@pytest.mark.parametrize(
    "path",
    [
        "$[?length(@) < 3]",
        "$[?count(@.*) == 1]",
        "$[?match(@.timezone, 'Europe/.*')]",
        '$[?value(@..color) == "red"]',
    ],
)
def test_a_path_that_is_well_typed_is_accepted(path: str) -> None:
    assert JsonPath(path).find([]) == []


def test_a_path_has_limits_of_its_own() -> None:
    # Case 60: a path of 10,000 characters.
    assert JsonPath("$." + "a" * (LONGEST_PATH - 2)).find({}) == []
    with pytest.raises(LimitExceeded, match="10,000 characters"):
        JsonPath("$." + "a" * 9_998)
    for nested in ("$" + "[?@" * 17, "$[?" + "(" * 16 + "@.a", "$[?" + "length(" * 16 + "@"):
        with pytest.raises(LimitExceeded, match="inside one another"):
            JsonPath(nested)
    assert JsonPath("$" + "[?@" * 16 + "]" * 16).find([1]) == []


def test_a_path_shows_itself() -> None:
    assert repr(JsonPath("$.a")) == "JsonPath('$.a')"


def test_what_is_found_is_the_document_itself_and_no_copy() -> None:
    document = {"a": [{"b": 1}]}
    [found] = JsonPath("$.a[0]").find(document)
    assert found is document["a"][0]
