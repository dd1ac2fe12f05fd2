"""The rules of ignore files, against git itself and against cases worked out by hand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tether.retrieval.source import SourceItem
from tether.retrieval.sources.folder import FolderSource
from tether.retrieval.sources.folder_settings import FolderSettings
from tether.retrieval.sources.globs import Glob
from tether.retrieval.sources.ignore_rules import Rules, matches_any, parse_rules
from tether.retrieval.sources.names import readable

FOLDERS = ("a", "a/b", "a/b/a", "ab", "b", "b/a b", "é", "[a]", "a/!a")
FILES = ("a", "b", "ab", "ba", "a b", "a.b", "a-", "#a", "!a", "é", "aé", "[a]", "\\", "c]", " ")


def tree() -> list[tuple[str, bool]]:
    """Return paths with whether each is a folder; a file gives way to a folder of its name."""
    folders = set(FOLDERS)
    files = {f"{folder}/{name}" for folder in FOLDERS for name in FILES} | set(FILES)
    return [(path, True) for path in sorted(folders)] + [
        (path, False) for path in sorted(files - folders)
    ]


TREE = tree()


def by_us(*levels: tuple[str, bytes]) -> set[str]:
    """Return what the rules at some folders ignore; the folders are given from the top."""
    return {path for path, is_folder in TREE if ignored(path, levels, is_folder=is_folder)}


def ignored(path: str, levels: Sequence[tuple[str, bytes]], *, is_folder: bool) -> bool:
    """A path is ignored by a rule about it, or because a folder above it is."""
    parts = tuple(part.encode() for part in path.split("/"))
    for depth in range(1, len(parts) + 1):
        rules = rules_above(parts[:depth], levels)
        rule = rules.decide(parts[:depth], is_folder=is_folder or depth < len(parts))
        if rule is not None and rule.ignores:
            return True
    return False


def rules_above(parts: tuple[bytes, ...], levels: Sequence[tuple[str, bytes]]) -> Rules:
    rules = Rules()
    for folder, data in levels:
        base = tuple(part.encode() for part in folder.split("/") if part)
        if parts[: len(base)] == base and len(parts) > len(base):
            rules = rules.and_below(parse_rules(data, base=base, origin=".gitignore"))
    return rules


@pytest.fixture(scope="module")
def repository() -> Iterator[Path]:
    """A real repository with the tree in it."""
    if shutil.which("git") is None:
        pytest.skip("there is no git to compare with")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, is_folder in TREE:
            place = root / path
            if is_folder:
                place.mkdir(parents=True, exist_ok=True)
            else:
                place.touch()
        git(root, "init", "-q")
        yield root


def git(root: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(root)}
    command = ["git", "-C", str(root), "-c", "core.ignorecase=false", *arguments]
    return subprocess.run(
        command, input=stdin, capture_output=True, env=environment, check=False
    ).stdout


def by_git(root: Path, *levels: tuple[str, bytes]) -> set[str]:
    places = [root / folder / ".gitignore" for folder, _ in levels]
    for place, (_, data) in zip(places, levels, strict=True):
        place.write_bytes(data)
    try:
        asked = "\0".join(path for path, _ in TREE).encode()
        answer = git(root, "check-ignore", "--no-index", "-z", "--stdin", stdin=asked)
    finally:
        for place in places:
            place.unlink()
    return {path.decode() for path in answer.split(b"\0") if path}


ATOMS = st.sampled_from(
    (
        *"aab*?/!# -\\.é",
        *("**/", "/**", "/**/", "[ab]", "[!a]", "[^b]", "[a-c]", "[]-a]", "[[:alpha:]]"),
        *("[", "]", "[[:nothing:]]", "[a\\]]", "\\ ", "\r"),
    )
)
PATTERNS = st.lists(ATOMS, min_size=1, max_size=6).map("".join)
RULE_FILES = st.lists(PATTERNS, min_size=1, max_size=4).map("\n".join)

BESIDE_TEXT = re.compile(r"[^/!\n]\*\*|\*\*[^/\n]")
"""Stars that git takes for two stars or for one, depending on what stands before them; its manual
says that they are "regular asterisks", which is what we go by."""


@settings(max_examples=80)
@given(st.data())
@pytest.mark.unmeasured
def test_rules_mean_what_they_mean_to_git(repository: Path, data: st.DataObject) -> None:
    above = data.draw(RULE_FILES)
    below = data.draw(st.one_of(st.just(""), RULE_FILES))
    assume(not BESIDE_TEXT.search(above) and not BESIDE_TEXT.search(below))
    levels = (("", above.encode()), ("a", below.encode()))
    assert by_us(*levels) == by_git(repository, *levels)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(["", "a", "a/b", "b"]), RULE_FILES), max_size=3))
@pytest.mark.unmeasured
def test_a_folder_is_read_as_git_lists_it(repository: Path, written: list[tuple[str, str]]) -> None:
    assume(not any(BESIDE_TEXT.search(rules) for _, rules in written))
    places = {repository / folder / ".gitignore": rules for folder, rules in written}
    for place, rules in places.items():
        place.write_bytes(rules.encode())
    try:
        listed = git(repository, "ls-files", "-z", "--others", "--exclude-standard")
        everything = FolderSettings(habits=False, secrets=True)
        found = [
            entry.key
            for entry in FolderSource(repository, everything).scan()
            if isinstance(entry, SourceItem) or "ignored by" not in entry.reason
        ]
    finally:
        for place in places:
            place.unlink()
    expected = {readable(path) for path in listed.split(b"\0") if path}
    assert set(found) - {".git/"} == expected


CASES = [
    ("a", "ab", False),
    ("*.b", "a.b", True),
    ("/a.b", "a.b", True),
    ("/a.b", "b/a.b", False),
    ("a.b", "b/a.b", True),
    ("a/", "a", True),
    ("ab/", "a/ab", False),
    ("b/*", "b/ab", True),
    ("**/a.b", "a.b", True),
    ("**/a.b", "a/b/a.b", True),
    ("a/**/a.b", "a/a.b", True),
    ("a/**/a.b", "a/b/a/a.b", True),
    ("a/**", "a", False),
    ("a/**", "a/b/a/ba", True),
    ("/**", "é/a", True),
    ("**", "é/a", True),
    ("a?b", "a b", True),
    ("é?", "é", False),
    ("?", "é", False),
    ("??", "é", True),
    ("[!a-b]*", "#a", True),
    ("[]a]", "a", True),
    ("[\\]]", "b", False),
    ("[a-]-", "a-", True),
    ("a[-b]", "a-", True),
    ("[[:punct:]a", "b", False),
    ("[[:punct:]]a", "!a", True),
    ("[[:nope:]]", "a", False),
    ("[[:]", "[a]", False),
    ("[[:ab]", "b", True),
    ("[a", "a", False),
    ("[", "[a]", False),
    ("[a\\", "a", False),
    ("[z-\\", "a", False),
    ("[a-\\c]", "b", True),
    ("[[:alpha:", "a", False),
    ("a\\", "a", False),
    ("\\#a", "#a", True),
    ("#a", "#a", False),
    ("\\!a", "!a", True),
    ("a  ", "a", True),
    ("a\\ b", "a b", True),
    ("\\ ", " ", True),
    ("\\  ", " ", True),
    ("a\r", "a", True),
    ("\ufeffa", "a", True),
    ("", "a", False),
    ("/", "a", False),
    ("!", "a", False),
    ("*\n!a.b", "a.b", False),
    ("!a.b\n*", "a.b", True),
    ("a/*\n!a/b", "a/b/ab", False),
    ("a\n!a/b", "a/b", True),
    ("a\\/b", "a/b", True),
    ("***", "b", True),
    ("a***", "a.b", True),
]


@pytest.mark.parametrize(("rules", "path", "expected"), CASES)
def test_a_rule_by_hand(rules: str, path: str, expected: bool) -> None:
    assert (path in by_us(("", rules.encode()))) is expected


def test_the_cases_by_hand_are_right_by_git_too(repository: Path) -> None:
    for rules, path, expected in CASES:
        assert (path in by_git(repository, ("", rules.encode()))) is expected, rules


def test_a_folder_further_down_decides_first() -> None:
    assert "a/a.b" not in by_us(("", b"*.b"), ("a", b"!a.b"))
    assert "a.b" in by_us(("", b"*.b"), ("a", b"!a.b"))
    assert "a/b/ab" in by_us(("", b"!ab"), ("a", b"/b/ab"))


def test_a_rule_says_where_it_stands() -> None:
    (rule,) = parse_rules(b"# remark\n\n*.tmp\n", origin="docs/.gitignore")
    assert rule.origin == "docs/.gitignore, line 3: *.tmp"


def test_patterns_of_settings_reach_into_folders() -> None:
    rules = parse_rules(b"docs/\n!docs/api\n*.txt", origin="settings")
    assert matches_any(rules, (b"docs", b"a", b"b.md"))
    assert not matches_any(rules, (b"docs", b"api", b"b.md"))
    assert matches_any(rules, (b"x", b"b.txt"))
    assert not matches_any(rules, (b"x", b"b.md"))


class Counted(bytes):
    """A name that counts how often a byte of it is looked at."""

    looks = 0

    def __getitem__(self, at: object) -> int:  # type: ignore[override]
        Counted.looks += 1
        return super().__getitem__(at)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("pattern", [b"*a*a*a*a*a*a*a*a*a*a*b", b"[a-z]*" * 20 + b"0"])
def test_hostile_patterns_take_time_in_proportion(pattern: bytes) -> None:
    glob = Glob.of(pattern)
    assert glob is not None
    Counted.looks = 0
    name = Counted(b"a" * 5_000)
    assert not glob.matches((name,))
    assert Counted.looks < 10 * len(name) * len(pattern)


def test_hostile_folders_take_time_in_proportion() -> None:
    glob = Glob.of(b"**/a/" * 50 + b"b")
    assert glob is not None
    assert not glob.matches((b"a",) * 1_000)
