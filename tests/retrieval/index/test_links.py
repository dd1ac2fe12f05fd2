"""Links between documents, as documentation sites write them."""

from __future__ import annotations

import pytest

from tether.retrieval.document import Document
from tether.retrieval.index.links import Links, link_arrays, links_text

KEYS = [
    "docs/README.md",
    "docs/concepts/_index.md",
    "docs/concepts/pods.md",
    "docs/guide.rst",
    "https://a.example/page",
    "with space.md",
]
URLS = ["", "https://s.example/concepts/", "https://s.example/concepts/pods/", "", "", ""]


LABELS = {"docs/guide.rst": ["the guide", "install"]}


def linked(key: str, *targets: str) -> list[str]:
    links = [
        Links(url=url, targets=targets if known == key else (), labels=LABELS.get(known, ()))
        for known, url in zip(KEYS, URLS, strict=True)
    ]
    arrays = link_arrays(KEYS, links)
    at = KEYS.index(key)
    starts = arrays["starts"]
    return [KEYS[number] for number in arrays["targets"][starts[at] : starts[at + 1]]]


@pytest.mark.parametrize(
    ("key", "target", "leads_to"),
    [
        ("docs/README.md", "concepts/pods.md", "docs/concepts/pods.md"),
        ("docs/README.md", "./concepts/pods.md#name", "docs/concepts/pods.md"),
        ("docs/README.md", "concepts/pods", "docs/concepts/pods.md"),
        ("docs/README.md", "concepts/pods.html?x=1", "docs/concepts/pods.md"),
        ("docs/README.md", "concepts/", "docs/concepts/_index.md"),
        ("docs/README.md", "/docs/guide", "docs/guide.rst"),
        ("docs/README.md", "guide.html", "docs/guide.rst"),
        ("docs/README.md", "/concepts/pods/", "docs/concepts/pods.md"),
        ("docs/README.md", "/concepts/", "docs/concepts/_index.md"),
        ("docs/README.md", "/", "docs/README.md"),
        ("docs/concepts/pods.md", "/guide", "docs/guide.rst"),
        ("docs/concepts/pods.md", "/pods.html", "docs/concepts/pods.md"),
        ("docs/concepts/pods.md", "ref:install", "docs/guide.rst"),
        ("with space.md", "ref:the guide", "docs/guide.rst"),
        ("with space.md", "/docs/", "docs/README.md"),
        ("docs/README.md", "../with%20space.md", "with space.md"),
        ("docs/README.md", "HTTPS://S.example/concepts/pods", "docs/concepts/pods.md"),
        ("docs/README.md", "https://a.example/page#part", "https://a.example/page"),
        ("docs/concepts/pods.md", "../", "docs/concepts/_index.md"),
        ("docs/concepts/pods.md", "../guide.rst", "docs/guide.rst"),
        ("https://a.example/page", "https://s.example/concepts/index.html", KEYS[1]),
    ],
)
def test_a_link_leads_to_a_document_of_the_index(key: str, target: str, leads_to: str) -> None:
    assert linked(key, target) == ([leads_to] if leads_to != key else [])


@pytest.mark.parametrize(
    "target",
    [
        "#part",
        "",
        "?x",
        "mailto:a@b.example",
        "http://[",
        "https://b.example/",
        "no.md",
        "//[",
        "ref:nothing",
        "/no",
    ],
)
def test_other_links_lead_nowhere(target: str) -> None:
    assert linked("docs/README.md", target, "README.md") == []


def test_an_address_that_is_none_stops_nobody() -> None:
    links = [Links(url="http://["), Links(targets=["b.md"], labels=["x"])]
    assert link_arrays(["b.md", "a.md"], links)["targets"].tolist() == [0]


def test_labels_come_from_the_metadata() -> None:
    document = Document(
        key="a.rst", title="A", text="", blocks=(), kind="rst", metadata=(("labels", "x\ny z"),)
    )
    assert links_text(document) == '["",[],["x","y z"]]'
