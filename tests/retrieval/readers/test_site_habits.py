"""The habits of site builders, on small pages as their users write them."""

from __future__ import annotations

import pytest

from retrieval.readers.pages import pieces, quoted, read, shape

MKDOCS = """\
---
title: Install
hide: [navigation]
---

# Installation { #installation }

!!! note "Before you start"

    You need **Python**.

    ```bash
    pip install tool
    ```

    !!! warning
        Nested [text](w.md){ .md-button }.

??? tip
    Folded away.

After the box. See [guide][g].

=== "pip"

    Use pip.

=== "conda"

    1. Use conda.
    2. Then go.

/// note | A block title

Inside the block.

///

/// details | Options
    type: warning
    open: True

Text of it.
///

Press :material-arrow-right: now.
{ .lead }

[TOC]

--8<-- "includes/abbreviations.md"

[g]: guide.md "The guide"
"""


def test_mkdocs_admonitions_tabs_blocks_and_attributes() -> None:
    page = read(MKDOCS)
    assert page.title == "Install"
    assert shape(page) == [
        ("heading", "Installation"),
        ("paragraph", "Before you start"),
        ("paragraph", "You need Python."),
        ("code", "pip install tool"),
        ("paragraph", "Nested text."),
        ("paragraph", "Folded away."),
        ("paragraph", "After the box. See guide."),
        ("paragraph", "pip"),
        ("paragraph", "Use pip."),
        ("paragraph", "conda"),
        ("list", "Use conda.\nThen go."),
        ("paragraph", "A block title"),
        ("paragraph", "Inside the block."),
        ("paragraph", "Options"),
        ("paragraph", "Text of it."),
        ("paragraph", "Press now."),
        ("paragraph", '--8<-- "includes/abbreviations.md"'),
    ]
    assert page.blocks[0].anchor == "installation"
    assert [link.target for link in page.links] == ["w.md", "guide.md"]


VITEPRESS = """\
---
outline: deep
---
<script setup>
import { data } from './x.data.js'
</script>

# Markdown Extensions

[[toc]]

::: tip
Plain tip.
:::

::: details Click me to view {open}
Hidden **text**.

:::: info Inner title
Deep.
::::
:::

::: code-group

```js{1,3} [config.js]
export default {}
```

```ts [config.ts]
const a: number = 1
```

:::

> [!WARNING] Careful
> Do not press.

<Badge type="warning" text="beta" />

<llm-only>

For machines.

</llm-only>

## Custom anchors {#my-anchor}

<<< @/snippets/snippet.js#region{2}

<CodeGroup title="Shown title">

Text with {{ $frontmatter.x }}.

</CodeGroup>
"""


def test_vitepress_containers_alerts_and_components() -> None:
    page = read(VITEPRESS)
    assert page.title == "Markdown Extensions"
    assert shape(page) == [
        ("heading", "Markdown Extensions"),
        ("paragraph", "Plain tip."),
        ("paragraph", "Click me to view"),
        ("paragraph", "Hidden text."),
        ("paragraph", "Inner title"),
        ("paragraph", "Deep."),
        ("code", "export default {}"),
        ("code", "const a: number = 1"),
        ("quote", "Careful Do not press."),
        ("heading", "Custom anchors"),
        ("paragraph", "<<< @/snippets/snippet.js#region{2}"),
        ("paragraph", "Shown title"),
        ("paragraph", "Text with {{ $frontmatter.x }}."),
    ]
    assert page.blocks[9].anchor == "my-anchor"


DOCUSAURUS = """\
---
id: intro
title: Intro
slug: /intro
keywords: [a, b]
---
import Tabs from '@theme/Tabs';
import {
  TabItem,

} from '@theme/TabItem';

export const toc = {
  a: 1
};

export const Other = () => <b>x</b>

# Heading {/* #explicit */}

:::note[Your **title**]

Some *content* with {props.value} and {'literal'}.

:::

:::danger Old title
Take care.
:::

<Tabs groupId="os">
  <TabItem value="mac" label="macOS">

    Use brew.

  </TabItem>
  <TabItem value="win">Use winget.</TabItem>
</Tabs>

{/* a comment
over lines */}

<Card title={"Get going"} style={{color: 'red'}} onClick={() => go()} />

Text <Highlight color="#25c2a0">in colour</Highlight> ends.
"""


def test_docusaurus_mdx_imports_tabs_and_expressions() -> None:
    page = read(DOCUSAURUS, "intro.mdx")
    assert page.kind == "mdx"
    assert page.title == "Intro"
    assert dict(page.metadata) == {"slug": "/intro", "keywords": "a, b"}
    assert shape(page) == [
        ("heading", "Heading"),
        ("paragraph", "Your title"),
        ("paragraph", "Some content with and literal."),
        ("paragraph", "Old title"),
        ("paragraph", "Take care."),
        ("paragraph", "macOS"),
        ("paragraph", "Use brew."),
        ("paragraph", "Use winget."),
        ("paragraph", "Get going"),
        ("paragraph", "Text in colour ends."),
    ]


def test_a_word_that_only_looks_like_an_import_is_text() -> None:
    page = read("important things\n\nimport is a word here\nexport too\n\nEnd.\n", "a.mdx")
    assert shape(page)[0] == ("paragraph", "important things")
    assert read("import x\n").blocks[0].plain == "import x"


HUGO = """\
+++
title = "Pods"
weight = 10
+++
<!-- overview -->

_Pods_ run {{< glossary_tooltip text="containers" term_id="container" >}} on
{{< glossary_tooltip term_id="worker-node" >}}
of a cluster.

<!-- body -->

## {{% heading "prerequisites" %}}

{{< include "task-tutorial-prereqs.md" >}} {{< version-check >}}

{{< note >}}
Read this **first**.
{{< /note >}}

{{% alert title="Warning" color="warning" %}}
Then this.
{{% /alert %}}

{{< tabs name="install" >}}
{{% tab name="Debian" %}}
```sh
apt install x
```
{{% /tab %}}
{{< tab name="Fedora" >}}
Use dnf.
{{< /tab >}}
{{< /tabs >}}

{{< figure src="a.png" alt="A diagram" >}}

1. Step one:

   ```sh
   echo {{< param "version" >}}
   ```

   {{< caution >}}Mind it.{{< /caution >}}

## {{% heading "whatsnext" %}}

* See [pods]({{< ref "pods.md" >}}).
"""


def test_hugo_shortcodes() -> None:
    page = read(HUGO)
    assert page.title == "Pods"
    assert shape(page) == [
        ("paragraph", "Pods run containers on worker node of a cluster."),
        ("heading", "Before you begin"),
        ("paragraph", "Read this first."),
        ("paragraph", "Warning"),
        ("paragraph", "Then this."),
        ("paragraph", "Debian"),
        ("code", "apt install x"),
        ("paragraph", "Fedora"),
        ("paragraph", "Use dnf."),
        ("paragraph", "A diagram"),
        ("list", 'Step one:\necho {{< param "version" >}}\nMind it.'),
        ("heading", "What's next"),
        ("list", "See pods."),
    ]
    assert [block.anchor for block in page.blocks if block.level] == [
        "before-you-begin",
        "whats-next",
    ]


MYST = """\
(target)=
# Title

```{note} A title
:class: tip
Inside the note.
```

````{tab-set}
```{tab-item} One
First.
```
````

````{tip}
```
a = 2
```
````

```{code-block} python
:linenos:
x = 1
```

:::{admonition} Colons
:class: x
Text with {ref}`the guide <target>` and {py:func}`f()`.
:::
"""


def test_directives_in_fences_are_prose_unless_they_are_code() -> None:
    page = read(MYST)
    assert shape(page) == [
        ("heading", "Title"),
        ("paragraph", "A title"),
        ("paragraph", "Inside the note."),
        ("paragraph", "One"),
        ("paragraph", "First."),
        ("code", "a = 2"),
        ("code", "x = 1"),
        ("paragraph", "Colons"),
        ("paragraph", "Text with the guide and f()."),
    ]
    assert [(link.target, link.text) for link in page.links] == [("target", "the guide")]


def test_jekyll_tags_and_tables_of_contents() -> None:
    page = read(
        "---\nlayout: page\n---\n{% include nav.html %}\n\n{:toc}\n\n"
        "Text {% raw %}{% endraw %}here.\n"
    )
    assert shape(page) == [("paragraph", "Text here.")]


@pytest.mark.parametrize(
    "text",
    ["!!! \nnot one\n", ":::: {\nx\n", "=== a\nx\n", "??\nx\n", "::: a {b\nx\n", "/ // ///x{\ny\n"],
)
def test_what_only_resembles_a_marker_stays_text(text: str) -> None:
    document = read(text)
    assert "".join(text.split()) in "".join(document.blocks[0].plain.split())


def test_admonitions_inside_lists_and_tabs_as_indentation() -> None:
    page = read(
        "- item\n\n    !!! note\n        In the note.\n\n!!! tip\n\tTabbed.\n\n\tMore.\n\nOut.\n"
    )
    assert shape(page) == [
        ("list", "item\nIn the note."),
        ("paragraph", "Tabbed."),
        ("paragraph", "More."),
        ("paragraph", "Out."),
    ]


def test_a_code_fence_inside_an_admonition_hides_markers() -> None:
    page = read(
        '!!! note\n    ```md\n    !!! inner "x"\n    ::: y\n    {{< z >}}\n\n    <div>\n'
        "    ```\n\n> ```\n> ::: q\n> ```\n"
    )
    assert shape(page) == [("code", '!!! inner "x"\n::: y\n{{< z >}}\n<div>'), ("quote", "::: q")]


def test_a_task_list_and_a_footnote() -> None:
    page = read("- [ ] open\n- [x] done\n\nClaim[^1].\n\n[^1]: Proof.\n")
    assert pieces(page.blocks[0]) == ["open", "done"]
    assert shape(page)[1:] == [("paragraph", "Claim."), ("paragraph", "Proof.")]


HTML_CODE = """- one
- two
<pre class="x"><span style="a">apiVersion</span>: v1 &lt;here&gt;

  kind: <b>Pod</b>
</pre><p>To print it.</p>

<pre>one</pre>

<PRE></PRE>

!!! note
    <pre>
    inside
    </pre>
"""


def test_preformatted_html_is_code() -> None:
    page = read(HTML_CODE)
    assert shape(page) == [
        ("list", "one\ntwo"),
        ("code", "apiVersion: v1 <here>\n  kind: Pod"),
        ("paragraph", "To print it."),
        ("code", "one"),
        ("code", ""),
        ("code", "inside"),
    ]
    assert quoted(page)[3] == "<pre>one</pre>"
    assert quoted(page)[1].startswith('<pre class="x">')
    assert quoted(page)[1].endswith("</pre>")


def test_preformatted_html_that_is_never_closed_is_prose() -> None:
    page = read("<pre>words\n\n<pre>more\n\n{{< highlight go >}}\nlast\n")
    assert shape(page) == [("paragraph", "words"), ("paragraph", "more"), ("paragraph", "last")]


def test_hugo_code_is_code() -> None:
    page = read(
        '{{< highlight yaml "linenos=false" >}}\na: 1\n# b: 2\n{{< /highlight >}}\n\n'
        "{{<mermaid>}}\ngraph TD\n\nA --> B\n{{</mermaid>}}\n\n"
        "Text with {{< highlight promql >}}up{{< /highlight >}} inside.\n"
    )
    assert shape(page) == [
        ("code", "a: 1\n# b: 2"),
        ("code", "graph TD\nA --> B"),
        ("paragraph", "Text with up inside."),
    ]


def test_hugo_references_inside_tags_and_targets() -> None:
    page = read(
        'The <a href="{{< ref "core/pod-v1.md#Pod" >}}">Pod</a>, the '
        '[Ingress](/docs/{{< param "version" >}}/#ingress), and '
        '[Service]({{< relref "service.md" >}}#top).\n'
    )
    assert shape(page) == [("paragraph", "The Pod, the Ingress, and Service.")]
    assert [link.target for link in page.links] == [
        "core/pod-v1.md#Pod",
        '/docs/{{< param "version" >}}/#ingress',
        "service.md#top",
    ]


def test_lines_that_include_a_file_say_nothing() -> None:
    page = read("Look:\n\n{* ../../docs_src/first.py hl[1,2:4] *}\n\nDone.\n")
    assert shape(page) == [("paragraph", "Look:"), ("paragraph", "Done.")]


def test_code_is_shown_without_includes_and_without_the_colors_of_a_terminal() -> None:
    page = read(
        "```rust\n{{#rustdoc_include ../listings/a.rs:here}}\n```\n\n{{#include b.md}}\n\n"
        '```console\n$ <font color="#4E9A06">fastapi</font> dev <file>\n```\n\n'
        "```rust\nlet a = 1;\n{{#include c.rs}}\n```\n"
    )
    assert shape(page) == [("code", ""), ("code", "$ fastapi dev <file>"), ("code", "let a = 1;")]


def test_a_caption_is_shown_without_its_marks() -> None:
    page = read('<Listing number="1" caption="The `search` function">\n\nText.\n\n</Listing>\n')
    assert shape(page) == [("paragraph", "The search function"), ("paragraph", "Text.")]
