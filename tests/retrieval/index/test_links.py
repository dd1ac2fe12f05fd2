"""Links between documents, as documentation sites write them."""

from __future__ import annotations

import pytest

from tether.retrieval.index.links import link_arrays

KEYS = [
    "docs/README.md",
    "docs/concepts/_index.md",
    "docs/concepts/pods.md",
    "docs/guide.rst",
    "https://a.example/page",
    "with space.md",
]
URLS = ["", "https://s.example/concepts/", "https://s.example/concepts/pods/", "", "", ""]


def linked(key: str, *targets: str) -> list[str]:
    links = [list(targets) if known == key else [] for known in KEYS]
    arrays = link_arrays(KEYS, URLS, links)
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
        ("docs/README.md", "../with%20space.md", "with space.md"),
        ("docs/README.md", "HTTPS://S.example/concepts/pods", "docs/concepts/pods.md"),
        ("docs/README.md", "https://a.example/page#part", "https://a.example/page"),
        ("docs/concepts/pods.md", "../", "docs/concepts/_index.md"),
        ("docs/concepts/pods.md", "../guide.rst", "docs/guide.rst"),
        ("https://a.example/page", "https://s.example/concepts/index.html", KEYS[1]),
    ],
)
def test_a_link_leads_to_a_document_of_the_index(key: str, target: str, leads_to: str) -> None:
    assert linked(key, target) == [leads_to]


@pytest.mark.parametrize(
    "target",
    ["#part", "", "?x", "mailto:a@b.example", "http://[", "https://b.example/", "no.md", "//["],
)
def test_other_links_lead_nowhere(target: str) -> None:
    assert linked("docs/README.md", target, "README.md") == []
