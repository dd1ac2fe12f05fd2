"""The directives of reStructuredText, of docutils, Sphinx and its extensions, by their content."""

from __future__ import annotations

_CODE_NAMES = (
    "code code-block sourcecode testcode testoutput doctest parsed-literal literal prompt math"
    " graphviz digraph graph mermaid uml productionlist ipython jupyter-execute plot console"
    " code-cell exec_code command-output program-output highlight-code"
)
CODE = frozenset(_CODE_NAMES.split())
"""Directives whose content is code."""

HIDDEN_CODE = frozenset(("testsetup", "testcleanup"))
NOT_READ = frozenset(("include", "literalinclude", "raw"))
"""Directives whose content is elsewhere, or not text."""

_DROPPED_NAMES = (
    "class contents currentmodule default-domain default-role footer header highlight index"
    " default-literal-role localtoc meta module role rst-class sectnum section-numbering"
    " tabularcolumns target-notes title"
)
DROPPED = frozenset(_DROPPED_NAMES.split())
"""Directives that show nothing where they are."""

LINE_LISTS = frozenset(("toctree", "autosummary", "hlist"))
"""Directives with a name on each line."""

_SIGNATURES_NAMES = (
    "attribute class-signature classmethod cmdoption confval data decorator describe directive"
    " envvar exception function member macro method option property staticmethod struct type"
    " typedef union var variable object enum enumerator concept click rst:directive rst:role"
    " setting"
)
SIGNATURES = frozenset(_SIGNATURES_NAMES.split())


def is_signature(domain: str, name: str) -> bool:
    """Say whether the argument of a directive is code: the signature of an object."""
    return name in SIGNATURES or name.startswith("auto") or bool(domain)
