"""Where chunks begin, what they are called, and what stands above them."""

from __future__ import annotations

from tether.retrieval.chunk import Chunk
from tether.retrieval.chunking.chunker import Chunker, ChunkSettings
from tether.retrieval.document import Document
from tether.retrieval.readers.dispatch import read_document

PAGE = """\
# Pods

A pod is a group of containers.

## Networking

Each pod has an address.

### Ports

Open a port.

#### Host ports

They are rare.

## Storage

Volumes outlive containers.
"""


def page(text: str, key: str = "concepts/pods.md") -> Document:
    return read_document(key=key, name=key, data=text.encode(), url="https://x.test/pods")


def cut(text: str, settings: ChunkSettings | None = None) -> tuple[Chunk, ...]:
    document = page(text)
    chunks = Chunker(settings).chunks(document)
    assert all(chunk.text == document.text[chunk.start : chunk.end] for chunk in chunks)
    return chunks


def paths(chunks: tuple[Chunk, ...]) -> list[tuple[str, ...]]:
    return [chunk.heading_path for chunk in chunks]


def test_each_section_of_level_two_or_three_is_a_chunk() -> None:
    chunks = cut(PAGE)
    assert paths(chunks) == [
        ("Pods",),
        ("Pods", "Networking"),
        ("Pods", "Networking", "Ports"),
        ("Pods", "Storage"),
    ]
    assert [chunk.text for chunk in chunks] == [
        "# Pods\n\nA pod is a group of containers.",
        "## Networking\n\nEach pod has an address.",
        "### Ports\n\nOpen a port.\n\n#### Host ports\n\nThey are rare.",
        "## Storage\n\nVolumes outlive containers.",
    ]


def test_chunks_carry_what_a_citation_needs() -> None:
    chunk = cut(PAGE)[2]
    assert chunk.id == "concepts/pods-3"
    assert (chunk.document, chunk.number, chunk.title) == ("concepts/pods.md", 3, "Pods")
    assert (chunk.anchor, chunk.link) == ("ports", "https://x.test/pods#ports")
    assert chunk.plain == "Ports\n\nOpen a port.\n\nHost ports\n\nThey are rare."
    assert (chunk.header, chunk.language) == ("", "")
    assert chunk.tokens == 15  # counted with tiktoken


def test_the_lead_has_no_anchor() -> None:
    assert cut(PAGE)[0].anchor == ""


def test_the_language_of_the_document_is_that_of_its_chunks() -> None:
    assert cut("---\nlang: de\n---\n\nEin Satz.")[0].language == "de"


def test_the_deepest_heading_is_a_setting() -> None:
    assert paths(cut(PAGE, ChunkSettings(deepest_heading=2))) == [
        ("Pods",),
        ("Pods", "Networking"),
        ("Pods", "Storage"),
    ]
    assert paths(cut(PAGE, ChunkSettings(deepest_heading=0))) == [("Pods",)]
    assert ("Pods", "Networking", "Ports", "Host ports") in paths(
        cut(PAGE, ChunkSettings(deepest_heading=4))
    )


def test_a_heading_without_text_joins_the_section_below_it() -> None:
    chunks = cut("# Title\n\n## Empty\n\n### Full\n\nText.\n\n### Other\n\nMore.")
    assert [chunk.text for chunk in chunks] == [
        "# Title\n\n## Empty\n\n### Full\n\nText.",
        "### Other\n\nMore.",
    ]
    assert paths(chunks) == [("Title", "Empty", "Full"), ("Title", "Empty", "Other")]
    assert [chunk.anchor for chunk in chunks] == ["full", "other"]


def test_a_heading_with_nothing_below_it_joins_the_section_before() -> None:
    chunks = cut("## One\n\nText.\n\n### Empty\n\n## Two\n\nMore.\n\n## Last")
    assert [chunk.text for chunk in chunks] == [
        "## One\n\nText.\n\n### Empty",
        "## Two\n\nMore.\n\n## Last",
    ]
    assert [chunk.anchor for chunk in chunks] == ["one", "two"]


def test_a_page_of_headings_is_one_chunk() -> None:
    (chunk,) = cut("## One\n\n## Two\n\n## Three")
    assert chunk.plain == "One\n\nTwo\n\nThree"
    assert chunk.heading_path == (chunk.title,)


def test_a_heading_of_level_one_that_is_not_the_title_begins_a_chunk() -> None:
    chunks = cut(
        "---\ntitle: Book\n---\n\n# First\n\nText.\n\n# Second\n\nMore.\n\n## Deep\n\nEnd."
    )
    assert paths(chunks) == [
        ("Book", "First"),
        ("Book", "Second"),
        ("Book", "Second", "Deep"),
    ]


def test_the_title_is_found_in_another_case_and_spacing() -> None:
    chunks = cut("---\ntitle: The  Pod\n---\n\n# THE POD\n\nText.")
    assert [path[1:] for path in paths(chunks)] == [()]


def test_text_before_the_title_stays_with_the_lead() -> None:
    chunks = cut("A note.\n\n# Pods\n\nText.\n\n## More\n\nEnd.")
    assert chunks[0].text == "A note.\n\n# Pods\n\nText."


def test_a_page_without_text_has_no_chunks() -> None:
    assert cut("") == ()
    assert cut("---\ntitle: Nothing\n---\n\n<!-- hidden -->\n") == ()


SMALL = """\
## One

First.

## Two

Second.

### Below

Third.

## Three

Fourth.
"""


def test_small_neighbours_under_one_parent_are_merged_where_asked() -> None:
    chunks = cut(SMALL, ChunkSettings(merge_below=50))
    assert [chunk.text for chunk in chunks] == [
        "## One\n\nFirst.\n\n## Two\n\nSecond.",
        "### Below\n\nThird.",
        "## Three\n\nFourth.",
    ]
    assert chunks[0].heading_path == (chunks[0].title,)


def test_neighbours_that_are_not_small_stay_apart() -> None:
    assert len(cut(SMALL, ChunkSettings(merge_below=2))) == 4


def test_merging_never_makes_a_chunk_that_is_too_large() -> None:
    sections = "".join(f"## Part {n}\n\nAbout thirty characters here.\n\n" for n in range(9))
    settings = ChunkSettings(unit="characters", size=100, merge_below=100)
    chunks = cut(sections, settings)
    assert [chunk.text.count("##") for chunk in chunks] == [2, 2, 2, 2, 1]


def test_the_same_document_gives_the_same_chunks() -> None:
    assert cut(PAGE) == cut(PAGE)


def test_a_change_of_one_page_leaves_the_ids_of_another() -> None:
    document = page(PAGE, "other.md")
    ids = [chunk.id for chunk in Chunker().chunks(document)]
    assert ids == ["other-1", "other-2", "other-3", "other-4"]


def test_a_title_that_comes_again_begins_a_chunk() -> None:
    chunks = cut(
        "Badge.\n\n# Pods\n\nLead.\n\n## One\n\nText.\n\n# Pods\n\nAgain.\n\n## Two\n\nEnd."
    )
    assert [chunk.text for chunk in chunks] == [
        "Badge.\n\n# Pods\n\nLead.",
        "## One\n\nText.",
        "# Pods\n\nAgain.",
        "## Two\n\nEnd.",
    ]
    assert paths(chunks) == [("Pods",), ("Pods", "One"), ("Pods",), ("Pods", "Two")]
    assert [chunk.anchor for chunk in chunks][1::2] == ["one", "two"]


def test_levels_may_jump() -> None:
    chunks = cut("# Pods\n\n#### Deep\n\nA.\n\n## Two\n\nB.\n\n###### Six\n\nC.\n\n### Three\n\nD.")
    assert paths(chunks) == [("Pods", "Deep"), ("Pods", "Two"), ("Pods", "Two", "Three")]
