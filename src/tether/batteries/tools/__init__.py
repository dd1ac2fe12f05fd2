"""The toolbox: ready-made tools by category. A category is loaded when one of its names is used.

`from tether.batteries.tools import calculate` loads the category math and nothing else. Three
functions make tools from something of yours: `fetch_url_tool` from the hosts it may reach,
`document_tools` from a library to search, `ask_first` from a tool that needs approval.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tether.core.errors import InvalidInitialToolValue, Problem
from tether.late import late_names as _late_names

if TYPE_CHECKING:
    from tether.batteries.tools.approval import ask_first as ask_first
    from tether.batteries.tools.color import color_adjust as color_adjust
    from tether.batteries.tools.color import color_contrast as color_contrast
    from tether.batteries.tools.color import color_scheme as color_scheme
    from tether.batteries.tools.comparison import compare_records as compare_records
    from tether.batteries.tools.comparison import compare_values as compare_values
    from tether.batteries.tools.data_structure import json_transform as json_transform
    from tether.batteries.tools.data_structure import set_operations as set_operations
    from tether.batteries.tools.datetime_extended import date_business_days as date_business_days
    from tether.batteries.tools.datetime_extended import date_calendar_info as date_calendar_info
    from tether.batteries.tools.datetime_extended import date_nth_weekday as date_nth_weekday
    from tether.batteries.tools.datetime_extended import date_parse as date_parse
    from tether.batteries.tools.datetime_extended import date_period as date_period
    from tether.batteries.tools.datetime_math import date_add as date_add
    from tether.batteries.tools.datetime_math import date_diff as date_diff
    from tether.batteries.tools.datetime_math import duration_format as duration_format
    from tether.batteries.tools.documents import DocumentEntry as DocumentEntry
    from tether.batteries.tools.documents import DocumentLibrary as DocumentLibrary
    from tether.batteries.tools.documents import Passage as Passage
    from tether.batteries.tools.documents import document_tools as document_tools
    from tether.batteries.tools.encoding import encode_text as encode_text
    from tether.batteries.tools.encoding import text_escape as text_escape
    from tether.batteries.tools.encoding import unicode_normalize as unicode_normalize
    from tether.batteries.tools.formatting import format_list as format_list
    from tether.batteries.tools.formatting import format_number as format_number
    from tether.batteries.tools.geo_basics import geo_bbox_contains as geo_bbox_contains
    from tether.batteries.tools.geo_basics import geo_distance as geo_distance
    from tether.batteries.tools.geo_basics import geo_within_radius as geo_within_radius
    from tether.batteries.tools.math import calculate as calculate
    from tether.batteries.tools.math import evaluate_latex as evaluate_latex
    from tether.batteries.tools.memory import delete_memory as delete_memory
    from tether.batteries.tools.memory import list_memories as list_memories
    from tether.batteries.tools.memory import store_memory as store_memory
    from tether.batteries.tools.memory import update_memory as update_memory
    from tether.batteries.tools.parsing import detect_delimiter as detect_delimiter
    from tether.batteries.tools.parsing import parse_csv as parse_csv
    from tether.batteries.tools.parsing import parse_kv as parse_kv
    from tether.batteries.tools.parsing import parse_yaml as parse_yaml
    from tether.batteries.tools.retrievables import delete_retrievable as delete_retrievable
    from tether.batteries.tools.retrievables import list_retrievables as list_retrievables
    from tether.batteries.tools.retrievables import store_retrievable as store_retrievable
    from tether.batteries.tools.retrievables import update_retrievable as update_retrievable
    from tether.batteries.tools.standing_instructions import (
        add_standing_instruction as add_standing_instruction,
    )
    from tether.batteries.tools.standing_instructions import (
        list_standing_instructions as list_standing_instructions,
    )
    from tether.batteries.tools.standing_instructions import (
        remove_standing_instruction as remove_standing_instruction,
    )
    from tether.batteries.tools.statistics import stats_correlate as stats_correlate
    from tether.batteries.tools.statistics import stats_describe as stats_describe
    from tether.batteries.tools.statistics import stats_histogram as stats_histogram
    from tether.batteries.tools.statistics import stats_transform as stats_transform
    from tether.batteries.tools.string_processing import string_extract as string_extract
    from tether.batteries.tools.string_processing import string_transform as string_transform
    from tether.batteries.tools.structured_data import format_table as format_table
    from tether.batteries.tools.structured_data import json_format as json_format
    from tether.batteries.tools.structured_data import validate_format as validate_format
    from tether.batteries.tools.text_analysis import text_analyze as text_analyze
    from tether.batteries.tools.text_analysis import text_lines as text_lines
    from tether.batteries.tools.text_comparison import string_similarity as string_similarity
    from tether.batteries.tools.text_comparison import text_diff as text_diff
    from tether.batteries.tools.time import convert_time as convert_time
    from tether.batteries.tools.time import get_current_time as get_current_time
    from tether.batteries.tools.unit_conversion import convert_unit as convert_unit
    from tether.batteries.tools.web import fetch_url_tool as fetch_url_tool
    from tether.runtime.tool import Tool

    __all__: list[str]

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

COMPUTING: tuple[str, ...] = tuple(TOOLS)[:-3]
"""The categories that only compute: the last three read and write what a turn keeps."""

_MADE = {
    "approval": ("ask_first",),
    "documents": ("DocumentEntry", "DocumentLibrary", "Passage", "document_tools"),
    "web": ("fetch_url_tool",),
}


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
        getattr(sys.modules[__name__], name)
        for category in dict.fromkeys(categories or TOOLS)
        for name in TOOLS[category]
    ]


if not TYPE_CHECKING:  # checkers read the imports above
    __all__, __getattr__, __dir__ = _late_names(
        __name__,
        " ".join(
            f"{__name__}.{home}: {' '.join(names)}" for home, names in (TOOLS | _MADE).items()
        ),
    )
    __all__ += ["TOOLS", "toolbox"]
