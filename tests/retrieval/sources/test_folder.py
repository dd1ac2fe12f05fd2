"""A folder as a source: what is read, what is left out and why, and what hostile folders do."""

from __future__ import annotations

import errno
import gzip
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.sources.shelf import items, states, write
from tether.retrieval.errors import DocumentUnreadable, InvalidRetrievalSettings, SourceUnavailable
from tether.retrieval.source import DocumentState, SourceItem
from tether.retrieval.sources.file import FileSource
from tether.retrieval.sources.files import first_bytes
from tether.retrieval.sources.folder import FolderSource
from tether.retrieval.sources.folder_settings import FolderSettings


def test_every_file_of_all_folders_is_read_in_a_stable_order(tmp_path: Path) -> None:
    write(tmp_path, {"z.md": "z", "b/a.md": "ba", "b/c/d.rst": "d", "a/x.txt": "x", "B.md": "B"})
    found = [item for item in FolderSource(tmp_path).scan() if isinstance(item, SourceItem)]
    assert [item.key for item in found] == ["B.md", "z.md", "a/x.txt", "b/a.md", "b/c/d.rst"]
    assert [item.load() for item in found] == [b"B", b"z", b"x", b"ba", b"d"]
    assert [item.name for item in found] == ["B.md", "z.md", "x.txt", "a.md", "d.rst"]
    assert FolderSource(tmp_path).name == str(tmp_path)


def test_the_version_is_the_size_and_both_times(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "12345"})
    os.utime(tmp_path / "a.md", ns=(0, 1_700_000_000_123_456_789))
    changed = (tmp_path / "a.md").stat().st_ctime_ns
    version = items(FolderSource(tmp_path))["a.md"].version
    assert version == f"5:1700000000123456789:{changed}"


def test_an_edit_that_keeps_the_size_and_the_time_of_modification_is_seen(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "12345"})
    before = (tmp_path / "a.md").stat()
    old = items(FolderSource(tmp_path))["a.md"].version
    while (tmp_path / "a.md").stat().st_ctime_ns == before.st_ctime_ns:  # a coarse clock
        write(tmp_path, {"a.md": "54321"})
        os.utime(tmp_path / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (tmp_path / "a.md").stat().st_mtime_ns == before.st_mtime_ns
    assert items(FolderSource(tmp_path))["a.md"].version != old


def test_a_copy_of_the_folder_has_the_same_keys(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, {"a.md": "text", "b/c.md": "more"})
    one, two = (items(FolderSource(tmp_path / name)) for name in ("one", "two"))
    assert list(one) == list(two) == ["a.md", "b/c.md"]


def test_addresses_come_from_the_settings(tmp_path: Path) -> None:
    write(tmp_path, {"guide/index.md": "", "guide/a b.md": ""})
    published = FolderSettings(base_url="https://x.example/docs/", url_style="page")
    found = items(FolderSource(tmp_path, published))
    assert found["guide/index.md"].url == "https://x.example/docs/guide/"
    assert found["guide/a b.md"].url == "https://x.example/docs/guide/a%20b"
    assert items(FolderSource(tmp_path))["guide/a b.md"].url == ""


class TestWhatIsLeftOut:
    def test_ignore_files_hold_in_their_folder_and_below(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            {
                ".gitignore": "*.log.md\n/generated/\n",
                "a.log.md": "",
                "generated/a.md": "",
                "sub/generated/a.md": "",
                "sub/.gitignore": "!a.log.md\nb.md",
                "sub/a.log.md": "",
                "sub/b.md": "",
            },
        )
        found = FolderSource(tmp_path)
        assert set(items(found)) == {"sub/generated/a.md", "sub/a.log.md"}
        left_out = states(found)
        assert left_out["a.log.md"] == "skipped: ignored by .gitignore, line 1: *.log.md"
        assert left_out["generated/"] == "skipped: ignored by .gitignore, line 2: /generated/"
        assert left_out["sub/b.md"] == "skipped: ignored by sub/.gitignore, line 2: b.md"

    def test_our_own_ignore_file_decides_before_git_and_habits(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            {
                ".gitignore": "api/",
                ".tetherignore": "!api/\n!.github/\nold.md",
                "api/a.md": "",
                ".github/a.md": "",
                ".vale/a.md": "",
                "old.md": "",
            },
        )
        found = FolderSource(tmp_path)
        assert set(items(found)) == {"api/a.md", ".github/a.md"}
        assert states(found)["old.md"] == "skipped: ignored by .tetherignore, line 3: old.md"
        assert states(found)[".vale/"] == "skipped: it is hidden"

    def test_ignore_files_can_be_left_alone(self, tmp_path: Path) -> None:
        write(tmp_path, {".gitignore": "a.md", "a.md": "", ".b.md": ""})
        assert set(items(FolderSource(tmp_path, FolderSettings(ignore_files=False)))) == {"a.md"}
        everything = FolderSettings(ignore_files=False, habits=False)
        assert set(items(FolderSource(tmp_path, everything))) == {"a.md", ".b.md"}

    def test_what_tools_put_into_a_folder(self, tmp_path: Path) -> None:
        folders = (".git", ".venv", "node_modules", "__pycache__", "x.egg-info", "_build", ".hg")
        write(tmp_path, {f"{folder}/a.md": "" for folder in folders})
        write(tmp_path, {"a.md": ""})
        found = FolderSource(tmp_path)
        assert set(items(found)) == {"a.md"}
        assert set(states(found)) == {f"{folder}/" for folder in folders}

    def test_a_build_output_is_known_by_what_lies_beside_it(self, tmp_path: Path) -> None:
        write(tmp_path, {"build/a.md": "", "target/a.md": "", "js/package.json": "{}"})
        write(tmp_path, {"js/build/a.md": "", "js/target/a.md": "", "rs/Cargo.toml": ""})
        write(tmp_path, {"rs/target/a.md": ""})
        found = FolderSource(tmp_path)
        read = {key for key in items(found) if key.endswith(".md")}
        assert read == {"build/a.md", "target/a.md", "js/target/a.md"}
        reason = "skipped: it is the build output of package.json"
        assert states(found)["js/build/"] == reason

    def test_history_stays_out_whatever_the_rules_say(self, tmp_path: Path) -> None:
        write(tmp_path, {".tetherignore": "!.git/", ".git/a.md": "", "a.md": ""})
        found = FolderSource(tmp_path, FolderSettings(habits=False))
        assert states(found)[".git/"] == "skipped: it is the history of the folder"

    @pytest.mark.parametrize(
        "name",
        [
            *(".env", ".env.local", "prod.env", "server.pem", "tls.KEY", "id_rsa", "id_ed25519.md"),
            *(".netrc", "credentials", "credentials.json", "Credentials.txt", ".npmrc", ".pypirc"),
            *("vault.kdbx", "secrets.yaml", "client_secret_1.txt", ".git-credentials"),
        ],
    )
    def test_secrets_are_never_read_by_default(self, tmp_path: Path, name: str) -> None:
        write(tmp_path, {name: "password", ".tetherignore": f"!{name}"})
        assert states(FolderSource(tmp_path))[name] == "skipped: files of this name hold secrets"
        wanted = FolderSettings(
            secrets=True, endings=frozenset({f".{name.rpartition('.')[2].lower()}"})
        )
        assert "secrets" not in states(FolderSource(tmp_path, wanted)).get(name, "")

    @pytest.mark.parametrize("name", ["credentials.md", "secret.rst", "passwords.html", "keys.md"])
    def test_pages_about_secrets_are_pages(self, tmp_path: Path, name: str) -> None:
        write(tmp_path, {name: "About passwords."})
        assert set(items(FolderSource(tmp_path))) == {name}

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("a.zip", "it is an archive, which is never opened; unpack it first"),
            ("a.tar.gz", "it is an archive, which is never opened; unpack it first"),
            ("a.PNG", "pictures, sound, film and fonts are not read"),
            ("a.exe", "it is not text"),
            ("a.frob", "no reader takes the ending .frob"),
            ("LICENSE", "it has no ending"),
            (".hidden.md", "it is hidden"),
        ],
    )
    def test_kinds_that_no_reader_takes(self, tmp_path: Path, name: str, reason: str) -> None:
        write(tmp_path, {name: "x", "README": "x"})
        found = FolderSource(tmp_path)
        assert states(found) == {name: f"skipped: {reason}"}
        assert set(items(found)) == {"README"}

    def test_what_the_settings_include_and_exclude(self, tmp_path: Path) -> None:
        write(tmp_path, {"docs/a.md": "", "docs/old/b.md": "", "docs/c.txt": "", "src/d.md": ""})
        chosen = FolderSettings(include=("docs/**/*.md", "*.rst"), exclude=("old/", "!x"))
        found = FolderSource(tmp_path, chosen)
        assert set(items(found)) == {"docs/a.md"}
        left_out = states(found)
        assert left_out["docs/old/"] == "skipped: left out by the settings: old/"
        assert left_out["src/d.md"] == "skipped: the setting include does not match it"
        excluded = FolderSource(tmp_path, FolderSettings(exclude=("*.txt",)))
        assert states(excluded)["docs/c.txt"] == "skipped: left out by the settings: *.txt"

    def test_what_is_too_large(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "x" * 11, "b.md": "x" * 10})
        found = FolderSource(tmp_path, FolderSettings(max_bytes=10))
        assert set(items(found)) == {"b.md"}
        assert states(found)["a.md"].startswith("failed: it has 11 bytes, and at most 10 are read")


class TestHostileFolders:
    def test_links_are_never_followed(self, tmp_path: Path) -> None:
        root = write(tmp_path / "root", {"a.md": "a", "sub/b.md": "b"})
        write(tmp_path / "outside", {"secret.md": "secret"})
        (root / "out.md").symlink_to(tmp_path / "outside" / "secret.md")
        (root / "outfolder").symlink_to(tmp_path / "outside")
        (root / "again.md").symlink_to("sub/b.md")
        (root / "up").symlink_to(".")
        (root / "circle.md").symlink_to("circle.md")
        (root / "nothing.md").symlink_to("nowhere.md")
        found = FolderSource(root)
        assert set(items(found)) == {"a.md", "sub/b.md"}
        assert states(found) == {
            "again.md": "skipped: it is a link to sub/b.md, where it is read",
            "circle.md": "skipped: it is a link that leads in a circle",
            "nothing.md": "skipped: it is a link to nothing",
            "out.md": "skipped: it is a link out of the folder, which is not followed",
            "outfolder": "skipped: it is a link out of the folder, which is not followed",
            "up": "skipped: it is a link to ., where it is read",
        }

    def test_a_link_that_replaces_a_folder_leads_nowhere(self, tmp_path: Path) -> None:
        root = write(tmp_path / "root", {"sub/a.md": "mine", "sub/b.md": ""})
        write(tmp_path / "etc", {"a.md": "secret"})
        item = items(FolderSource(root))["sub/a.md"]
        (root / "sub").rename(root / "moved")
        (root / "sub").symlink_to(tmp_path / "etc")
        with pytest.raises(
            DocumentUnreadable, match="there is a link or a file in place of a folder"
        ):
            item.load()

    def test_a_link_that_replaces_a_file_leads_nowhere(self, tmp_path: Path) -> None:
        root = write(tmp_path / "root", {"a.md": "mine"})
        write(tmp_path, {"secret": "secret"})
        item = items(FolderSource(root))["a.md"]
        (root / "a.md").unlink()
        (root / "a.md").symlink_to(tmp_path / "secret")
        with pytest.raises(DocumentUnreadable, match="a link or a file"):
            item.load()

    def test_the_folder_itself_may_be_a_link(self, tmp_path: Path) -> None:
        write(tmp_path / "real", {"a.md": "a"})
        (tmp_path / "link").symlink_to("real")
        assert items(FolderSource(tmp_path / "link"))["a.md"].load() == b"a"

    def test_hard_links_are_files(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "a"})
        (tmp_path / "b.md").hardlink_to(tmp_path / "a.md")
        assert set(items(FolderSource(tmp_path))) == {"a.md", "b.md"}

    def test_pipes_sockets_and_devices_are_not_opened(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.md")
        listener = socket.socket(socket.AF_UNIX)
        here = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket has to be short
        try:
            listener.bind("socket.md")
        finally:
            os.chdir(here)
            listener.close()
        write(tmp_path, {"a.md": ""})
        found = FolderSource(tmp_path)
        assert set(items(found)) == {"a.md"}
        assert states(found) == {
            "pipe.md": "skipped: it is a pipe, not a file",
            "socket.md": "skipped: it is a socket, not a file",
        }

    def test_a_pipe_that_replaces_a_file_does_not_block(self, tmp_path: Path) -> None:
        item = items(FolderSource(write(tmp_path, {"a.md": "a"})))["a.md"]
        (tmp_path / "a.md").unlink()
        os.mkfifo(tmp_path / "a.md")
        with pytest.raises(DocumentUnreadable, match="it is a pipe, not a file"):
            item.load()

    def test_a_folder_that_replaces_a_file(self, tmp_path: Path) -> None:
        item = items(FolderSource(write(tmp_path, {"a.md": "a"})))["a.md"]
        (tmp_path / "a.md").unlink()
        (tmp_path / "a.md").mkdir()
        with pytest.raises(DocumentUnreadable, match="it is a folder, not a file"):
            item.load()

    def test_a_file_that_vanishes(self, tmp_path: Path) -> None:
        item = items(FolderSource(write(tmp_path, {"a.md": "a"})))["a.md"]
        (tmp_path / "a.md").unlink()
        with pytest.raises(DocumentUnreadable, match="it is not there"):
            item.load()

    def test_a_file_that_grew_past_the_limit(self, tmp_path: Path) -> None:
        source = FolderSource(write(tmp_path, {"a.md": "a"}), FolderSettings(max_bytes=5))
        item = items(source)["a.md"]
        write(tmp_path, {"a.md": "a" * 6})
        with pytest.raises(DocumentUnreadable, match="6 bytes, and at most 5"):
            item.load()

    @pytest.mark.parametrize("content", ["", "short", "a longer one", "b" * 3_000_000])
    def test_a_file_that_changes_while_it_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
    ) -> None:
        item = items(FolderSource(write(tmp_path, {"a.md": "1234567890"})))["a.md"]
        read = os.read

        def meanwhile(descriptor: int, size: int) -> bytes:
            write(tmp_path, {"a.md": content})
            return read(descriptor, size)

        monkeypatch.setattr(os, "read", meanwhile)
        with pytest.raises(DocumentUnreadable, match="it changed while it was read"):
            item.load()

    def test_a_file_longer_than_one_reading_comes_whole(self, tmp_path: Path) -> None:
        data = bytes(range(256)) * 10_000
        assert items(FolderSource(write(tmp_path, {"a.md": data})))["a.md"].load() == data

    def test_names_that_are_hard_to_read(self, tmp_path: Path) -> None:
        names = [b"new\nline.md", b"\xff.md", "\u202egpj.md".encode(), b"x" * 252 + b".md"]
        names += ["é.md".encode(), b"e\xcc\x81.md", b"A.md", b"a.md", b"\\xff.md", b"-rf.md"]
        for name in names:
            (tmp_path / os.fsdecode(name)).write_bytes(name)
        found = items(FolderSource(tmp_path))
        assert len(found) == len(names)
        assert sorted(item.load() for item in found.values()) == sorted(names)
        assert found["new\\nline.md"].load() == b"new\nline.md"
        assert all(key.isprintable() for key in found)

    def test_a_very_deep_folder(self, tmp_path: Path) -> None:
        depth, name = 120, "d" * 200  # the path has 24,000 bytes: more than can be opened at once
        here = os.open(tmp_path, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        os.symlink("a.md", "b.md", dir_fd=here)
        os.close(here)
        (item,) = items(FolderSource(tmp_path)).values()
        assert item.key.count("/") == depth
        assert item.load() == b""
        (reason,) = states(FolderSource(tmp_path)).values()
        assert reason == "skipped: it is a link to nothing"

    def test_nothing_stays_open(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "", "b/c.md": "", "b/d/e.md": ""})
        before = len(list(Path("/dev/fd").iterdir()))
        scan = FolderSource(tmp_path).scan()
        next(scan)
        scan.close()  # type: ignore[attr-defined]  # a generator
        for item in items(FolderSource(tmp_path)).values():
            item.load()
        assert len(list(Path("/dev/fd").iterdir())) == before


class TestWhatCannotBeSeen:
    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(SourceUnavailable, match=r"nowhere cannot be indexed: it is not there"):
            list(FolderSource(tmp_path / "nowhere").scan())

    def test_a_file_in_its_place(self, tmp_path: Path) -> None:
        with pytest.raises(
            SourceUnavailable, match="there is a link or a file in place of a folder"
        ):
            list(FolderSource(write(tmp_path, {"a": ""}) / "a").scan())

    def test_an_empty_folder_is_a_disk_that_is_not_mounted(self, tmp_path: Path) -> None:
        with pytest.raises(SourceUnavailable, match="it is empty; is its disk mounted"):
            list(FolderSource(tmp_path).scan())

    def test_a_folder_that_vanishes_during_the_scan(self, tmp_path: Path) -> None:
        write(tmp_path / "root", {"a.md": "", "b/c.md": ""})
        scan = FolderSource(tmp_path / "root").scan()
        next(scan)
        (tmp_path / "root").rename(tmp_path / "gone")
        with pytest.raises(SourceUnavailable, match="it is not there"):
            list(scan)

    def test_a_folder_that_is_replaced_during_the_scan(self, tmp_path: Path) -> None:
        write(tmp_path / "root", {"a.md": "", "b/c.md": ""})
        scan = FolderSource(tmp_path / "root").scan()
        next(scan)
        (tmp_path / "root").rename(tmp_path / "gone")
        (tmp_path / "root").mkdir()
        with pytest.raises(SourceUnavailable, match="another folder took its place"):
            list(scan)

    def test_what_is_deleted_during_the_scan_is_gone(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "", "b.md": "", "c/d.md": "", "e/f.md": ""})
        scan = FolderSource(tmp_path).scan()
        first = next(scan)
        (tmp_path / "b.md").unlink()
        (tmp_path / "c" / "d.md").unlink()
        (tmp_path / "c").rmdir()
        assert [found.key for found in (first, *scan)] == ["a.md", "e/f.md"]

    def test_a_file_that_becomes_a_link_during_the_scan(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "", "b.md": ""})
        scan = FolderSource(tmp_path).scan()
        next(scan)
        (tmp_path / "b.md").unlink()
        (tmp_path / "b.md").symlink_to("a.md")
        assert [getattr(found, "reason", "") for found in scan] == ["it is a link, not a file"]

    def test_a_folder_that_becomes_a_link_during_the_scan(self, tmp_path: Path) -> None:
        write(tmp_path / "root", {"a.md": "", "b/c.md": ""})
        write(tmp_path / "etc", {"secret.md": ""})
        scan = FolderSource(tmp_path / "root").scan()
        next(scan)
        (tmp_path / "root" / "b").rename(tmp_path / "b")
        (tmp_path / "root" / "b").symlink_to(tmp_path / "etc")
        (failed,) = scan
        assert (failed.key, getattr(failed, "state", "")) == ("b/", "failed")

    @pytest.mark.parametrize(
        ("number", "reason"),
        [
            (errno.EACCES, "it may not be read; check its permissions"),
            (errno.EIO, "it cannot be read (Input/output error)"),
        ],
    )
    def test_what_may_not_be_opened(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
    ) -> None:
        write(tmp_path, {"a.md": "a", "shut/b.md": "", "open/c.md": ""})
        refuse_to_open(monkeypatch, {b"shut", b"a.md"}, number)
        source = FolderSource(tmp_path)
        assert states(source) == {"shut/": f"failed: {reason}"}
        found = items(source)
        assert set(found) == {"a.md", "open/c.md"}
        with pytest.raises(DocumentUnreadable) as caught:
            found["a.md"].load()
        assert caught.value.message == reason

    @pytest.mark.parametrize("name", [".gitignore", ".tetherignore"])
    def test_a_folder_whose_rules_cannot_be_read_is_left_out(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        write(tmp_path, {"a.md": "", f"sub/{name}": "secret.md", "sub/secret.md": ""})
        refuse_to_open(monkeypatch, {name.encode()}, errno.EACCES)
        source = FolderSource(tmp_path)
        assert set(items(source)) == {"a.md"}
        assert f"its rules in sub/{name} cannot be followed" in states(source)["sub/"]
        write(tmp_path, {name: ""})
        with pytest.raises(SourceUnavailable, match="its rules in"):
            list(source.scan())

    def test_rules_without_end_are_not_followed(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "", "sub/.gitignore": "a\n" * 10_001, "sub/b.md": ""})
        assert "more than 10,000 rules" in states(FolderSource(tmp_path))["sub/"]
        write(tmp_path, {"sub/.gitignore": "#" * 1_000_001})
        assert "1,000,001 bytes" in states(FolderSource(tmp_path))["sub/"]

    def test_rules_that_are_no_file_are_no_rules(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.md": "", "rules": "a.md", "sub/.gitignore/b.md": ""})
        (tmp_path / ".gitignore").symlink_to("rules")
        assert set(items(FolderSource(tmp_path))) == {"a.md"}


def refuse_to_open(monkeypatch: pytest.MonkeyPatch, names: set[bytes], number: int) -> None:
    """Let opening these names fail; permissions would not stop a test that runs as root."""
    opening = os.open

    def refusing(
        path: str | bytes, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> int:
        if path in names:
            raise OSError(number, os.strerror(number))
        return opening(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)


NAMES = st.sampled_from(
    ["a.md", "b.txt", "C.MD", "x.zip", ".env", ".gitignore", "node_modules", "sub", "é.rst", "x"]
)
MAKERS: dict[str, Callable[[Path], object]] = {
    "file": lambda place: place.write_text("*.txt\nsub/"),
    "link": lambda place: place.symlink_to("a.md"),
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
}


@settings(max_examples=60)
@given(st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=3), st.sampled_from(list(MAKERS)))))
def test_every_file_is_named_once(
    tmp_path_factory: pytest.TempPathFactory, things: list[tuple[list[str], str]]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    for parts, kind in (*things, (["always.md"], "file")):
        place = root.joinpath(*parts)
        if all(stat.S_ISDIR(p.lstat().st_mode) for p in place.parents if os.path.lexists(p)):
            place.parent.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(place):
                MAKERS[kind](place)
    keys = [found.key for found in FolderSource(root).scan()]
    assert len(keys) == len(set(keys))
    left_out = tuple(key for key in keys if key.endswith("/"))
    files = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if not stat.S_ISDIR(path.lstat().st_mode)
    }
    covered = {path for path in files if path.startswith(left_out)}
    assert files - covered == set(keys) - set(left_out)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (lambda: FolderSettings(include=("/",)), "include"),
        (lambda: FolderSettings(exclude="docs"), "exclude"),  # type: ignore[arg-type]
        (lambda: FolderSettings(exclude=(1,)), "exclude"),  # type: ignore[arg-type]
        (lambda: FolderSettings(secrets=1), "secrets"),  # type: ignore[arg-type]
        (lambda: FolderSettings(max_bytes=0), "max_bytes"),
        (lambda: FolderSettings(endings=frozenset({"md"})), "endings"),
        (lambda: FolderSettings(endings=frozenset({1})), "endings"),  # type: ignore[arg-type]
        (lambda: FolderSettings(base_url="docs.example.org"), "base_url"),
        (lambda: FolderSettings(url_style="pretty"), "url_style"),  # type: ignore[arg-type]
    ],
    ids=["root", "text", "number", "flag", "none", "dot", "type", "scheme", "style"],
)
def test_settings_that_make_no_sense(wrong: Callable[[], FolderSettings], field: str) -> None:
    with pytest.raises(InvalidRetrievalSettings) as caught:
        wrong()
    assert caught.value.problems[0].path.startswith(field)


@pytest.mark.parametrize(
    ("beside", "style"),
    [
        ("mkdocs.yml", "mkdocs"),
        ("docs/zensical.toml", "mkdocs"),
        (".vitepress/config.ts", "vitepress"),
        ("docs/.vitepress/config.ts", "vitepress"),
        ("docusaurus.config.ts", "github"),
        ("other.yml", "github"),
    ],
)
def test_the_site_builder_tells_how_anchors_are_made(
    tmp_path: Path, beside: str, style: str
) -> None:
    write(tmp_path / "site", {beside: "x", "docs/guide/a.md": "words"})
    for folder in ("site/docs", "site/docs/guide"):
        assert items(FolderSource(tmp_path / folder)).popitem()[1].anchors == style
    (item,) = FileSource(tmp_path / "site/docs/guide/a.md").scan()
    assert isinstance(item, SourceItem)
    assert item.anchors == style


def test_the_nearest_site_builder_counts_and_the_setting_before_it(tmp_path: Path) -> None:
    write(tmp_path, {"mkdocs.yml": "x", "web/docusaurus.config.js": "x", "web/docs/a.md": "x"})
    pages = tmp_path / "web/docs"
    assert items(FolderSource(pages))["a.md"].anchors == "github"
    chosen = FolderSettings(anchors="vitepress")
    assert items(FolderSource(pages, chosen))["a.md"].anchors == "vitepress"
    with pytest.raises(InvalidRetrievalSettings, match="anchors"):
        FolderSettings(anchors="word")  # type: ignore[arg-type]


def test_manual_pages_are_read_and_other_files_with_their_ending_are_not(tmp_path: Path) -> None:
    page = b".TH LS 1\n.SH NAME\nls \\- list\n"
    files = {
        "ls.1": page,
        "open.3pm": page,
        "tar.1.gz": gzip.compress(page),
        "empty.1": b"",
        "lib.so.1": b"\x7fELF",
        "release-2.1": b"Words.",
        "old.1.gz": gzip.compress(b"Words."),
        "old.gz": gzip.compress(page),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = {one.key: one for one in FolderSource(tmp_path).scan()}
    items = {key for key, one in found.items() if isinstance(one, SourceItem)}
    assert items == {"ls.1", "open.3pm", "tar.1.gz", "empty.1"}
    reasons = {key: one.reason for key, one in found.items() if isinstance(one, DocumentState)}
    none = "it has the ending of a manual page, but is none"
    assert reasons["release-2.1"] == reasons["old.1.gz"] == none
    assert reasons["lib.so.1"] == "no reader takes the ending .1"
    assert "archive" in reasons["old.gz"]
    few = FolderSource(tmp_path, FolderSettings(endings=frozenset({".md"})))
    assert not any(isinstance(one, SourceItem) for one in few.scan())
    assert isinstance(next(iter(FileSource(tmp_path / "tar.1.gz").scan())), SourceItem)


def test_what_cannot_be_opened_begins_with_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"abc")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        begun = [first_bytes(folder, name, 2) for name in (b"file", b"folder", b"missing")]
    finally:
        os.close(folder)
    assert begun == [b"ab", b"", b""]
