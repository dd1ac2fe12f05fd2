from __future__ import annotations

import os
from pathlib import Path

import pytest

from retrieval.sources.shelf import items, states, write
from tether.retrieval.errors import SourceUnavailable
from tether.retrieval.sources.file import FileSource
from tether.retrieval.sources.folder_settings import FolderSettings


def test_one_file_is_one_item(tmp_path: Path) -> None:
    write(tmp_path, {"docs/guide.md": "text", "docs/.gitignore": "*.md"})
    os.utime(tmp_path / "docs" / "guide.md", ns=(7, 7))
    published = FolderSettings(base_url="https://x.example", url_style="page")
    source = FileSource(tmp_path / "docs" / "guide.md", published)
    (item,) = source.scan()
    assert items(source)["guide.md"].load() == b"text"
    changed = (tmp_path / "docs" / "guide.md").stat().st_ctime_ns
    assert (item.key, getattr(item, "version", "")) == ("guide.md", f"4:7:{changed}")
    assert getattr(item, "url", "") == "https://x.example/guide"
    assert source.name == str(tmp_path / "docs" / "guide.md")


def test_a_person_may_name_a_link_and_any_ending(tmp_path: Path) -> None:
    write(tmp_path, {"LICENSE": "text"})
    (tmp_path / "link.md").symlink_to("LICENSE")
    assert items(FileSource(tmp_path / "link.md"))["link.md"].load() == b"text"
    assert set(items(FileSource(tmp_path / "LICENSE"))) == {"LICENSE"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.zip", "skipped: it is an archive, which is never opened; unpack it first"),
        (".env", "skipped: files of this name hold secrets"),
        ("large.md", "failed: it has 6 bytes, and at most 5 are read; split it into smaller files"),
        ("folder.md", "skipped: it is a folder, not a file"),
        ("pipe.md", "skipped: it is a pipe, not a file"),
    ],
)
def test_what_is_not_read(tmp_path: Path, name: str, expected: str) -> None:
    write(tmp_path, {"a.zip": "PK", ".env": "x", "large.md": "123456", "folder.md/x": ""})
    os.mkfifo(tmp_path / "pipe.md")
    assert states(FileSource(tmp_path / name, FolderSettings(max_bytes=5))) == {name: expected}


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "circle.md").symlink_to("circle.md")
    with pytest.raises(SourceUnavailable, match=r"nowhere\.md cannot be indexed: it is not there"):
        list(FileSource(tmp_path / "nowhere.md").scan())
    with pytest.raises(SourceUnavailable, match=r"circle\.md cannot be indexed: "):
        list(FileSource(tmp_path / "circle.md").scan())


def test_a_secret_can_be_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"secrets.txt": "x"})
    assert items(FileSource(tmp_path / "secrets.txt", FolderSettings(secrets=True)))
