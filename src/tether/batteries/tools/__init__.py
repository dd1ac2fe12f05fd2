"""The toolbox: ready-made tools, by category. A category is loaded when one of its names is used.

`from tether.batteries.tools import calculate` loads the mathematics and nothing else. Three are
made, not ready, because they need something of yours: `fetch_url_tool` the hosts it may reach,
`document_tools` a library to look in, `ask_first` a tool to ask about.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from tether.core.errors import InvalidInitialToolValue, Problem

if TYPE_CHECKING:
    from tether.batteries.tools.approval import ask_first
    from tether.batteries.tools.color import color_adjust, color_contrast, color_scheme
    from tether.batteries.tools.comparison import compare_records, compare_values
    from tether.batteries.tools.data_structure import json_transform, set_operations
    from tether.batteries.tools.datetime_extended import (
        date_business_days,
        date_calendar_info,
        date_nth_weekday,
        date_parse,
        date_period,
    )
    from tether.batteries.tools.datetime_math import date_add, date_diff, duration_format
    from tether.batteries.tools.documents import (
        DocumentEntry,
        DocumentLibrary,
        Passage,
        document_tools,
    )
    from tether.batteries.tools.encoding import encode_text, text_escape, unicode_normalize
    from tether.batteries.tools.formatting import format_list, format_number
    from tether.batteries.tools.geo_basics import (
        geo_bbox_contains,
        geo_distance,
        geo_within_radius,
    )
    from tether.batteries.tools.math import calculate, evaluate_latex
    from tether.batteries.tools.memory import (
        delete_memory,
        list_memories,
        store_memory,
        update_memory,
    )
    from tether.batteries.tools.parsing import detect_delimiter, parse_csv, parse_kv, parse_yaml
    from tether.batteries.tools.retrievables import (
        delete_retrievable,
        list_retrievables,
        store_retrievable,
        update_retrievable,
    )
    from tether.batteries.tools.standing_instructions import (
        add_standing_instruction,
        list_standing_instructions,
        remove_standing_instruction,
    )
    from tether.batteries.tools.statistics import (
        stats_correlate,
        stats_describe,
        stats_histogram,
        stats_transform,
    )
    from tether.batteries.tools.string_processing import string_extract, string_transform
    from tether.batteries.tools.structured_data import format_table, json_format, validate_format
    from tether.batteries.tools.text_analysis import text_analyze, text_lines
    from tether.batteries.tools.text_comparison import string_similarity, text_diff
    from tether.batteries.tools.time import convert_time, get_current_time
    from tether.batteries.tools.unit_conversion import convert_unit
    from tether.batteries.tools.web import fetch_url_tool
    from tether.runtime.tool import Tool

TOOLS: dict[str, tuple[str, ...]] = {
    "math": ("calculate", "evaluate_latex"),
    "statistics": ("stats_describe", "stats_correlate", "stats_transform", "stats_histogram"),
    "unit_conversion": ("convert_unit",),
    "data_structure": ("json_transform", "set_operations"),
    "structured_data": ("format_table", "json_format", "validate_format"),
    "formatting": ("format_number", "format_list"),
    "string_processing": ("string_transform", "string_extract"),
    "text_analysis": ("text_analyze", "text_lines"),
    "text_comparison": ("text_diff", "string_similarity"),
    "encoding": ("encode_text", "text_escape", "unicode_normalize"),
    "parsing": ("parse_csv", "parse_yaml", "parse_kv", "detect_delimiter"),
    "datetime_math": ("date_add", "date_diff", "duration_format"),
    "datetime_extended": (
        "date_nth_weekday",
        "date_calendar_info",
        "date_parse",
        "date_period",
        "date_business_days",
    ),
    "time": ("get_current_time", "convert_time"),
    "color": ("color_contrast", "color_scheme", "color_adjust"),
    "comparison": ("compare_values", "compare_records"),
    "geo_basics": ("geo_distance", "geo_within_radius", "geo_bbox_contains"),
    "memory": ("list_memories", "store_memory", "update_memory", "delete_memory"),
    "retrievables": (
        "list_retrievables",
        "store_retrievable",
        "update_retrievable",
        "delete_retrievable",
    ),
    "standing_instructions": (
        "list_standing_instructions",
        "add_standing_instruction",
        "remove_standing_instruction",
    ),
}
"""The ready-made tools by category, in the order of the catalogue."""

_MADE = {
    "approval": ("ask_first",),
    "documents": ("DocumentEntry", "DocumentLibrary", "Passage", "document_tools"),
    "web": ("fetch_url_tool",),
}

__all__ = [
    "TOOLS",
    "toolbox",
    # math
    "calculate",
    "evaluate_latex",
    # statistics
    "stats_describe",
    "stats_correlate",
    "stats_transform",
    "stats_histogram",
    # unit_conversion
    "convert_unit",
    # data_structure
    "json_transform",
    "set_operations",
    # structured_data
    "format_table",
    "json_format",
    "validate_format",
    # formatting
    "format_number",
    "format_list",
    # string_processing
    "string_transform",
    "string_extract",
    # text_analysis
    "text_analyze",
    "text_lines",
    # text_comparison
    "text_diff",
    "string_similarity",
    # encoding
    "encode_text",
    "text_escape",
    "unicode_normalize",
    # parsing
    "parse_csv",
    "parse_yaml",
    "parse_kv",
    "detect_delimiter",
    # datetime_math
    "date_add",
    "date_diff",
    "duration_format",
    # datetime_extended
    "date_nth_weekday",
    "date_calendar_info",
    "date_parse",
    "date_period",
    "date_business_days",
    # time
    "get_current_time",
    "convert_time",
    # color
    "color_contrast",
    "color_scheme",
    "color_adjust",
    # comparison
    "compare_values",
    "compare_records",
    # geo_basics
    "geo_distance",
    "geo_within_radius",
    "geo_bbox_contains",
    # memory
    "list_memories",
    "store_memory",
    "update_memory",
    "delete_memory",
    # retrievables
    "list_retrievables",
    "store_retrievable",
    "update_retrievable",
    "delete_retrievable",
    # standing_instructions
    "list_standing_instructions",
    "add_standing_instruction",
    "remove_standing_instruction",
    # approval
    "ask_first",
    # documents
    "DocumentEntry",
    "DocumentLibrary",
    "Passage",
    "document_tools",
    # web
    "fetch_url_tool",
]


def toolbox(*categories: str) -> list[Tool]:
    """Return the ready-made tools of some categories; of all of them if none is named.

    Raises `InvalidInitialToolValue` for a category that does not exist.
    """
    unknown = [
        Problem("categories", f"there is no category {name!r}")
        for name in categories
        if name not in TOOLS
    ]
    if unknown:
        raise InvalidInitialToolValue(unknown, help=f"The categories are: {', '.join(TOOLS)}.")
    return [
        _load(category, name)
        for category in dict.fromkeys(categories or TOOLS)
        for name in TOOLS[category]
    ]


def _load(category: str, name: str) -> Tool:
    tool: Tool = getattr(_import_module(f"{__name__}.{category}"), name)
    return tool


if not TYPE_CHECKING:  # hidden from checkers, which would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a tool when it is first asked for."""
        for category, names in (TOOLS | _MADE).items():
            if name in names:
                value = globals()[name] = _load(category, name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """List the public names, loaded or not."""
        return sorted({*globals(), *__all__})
