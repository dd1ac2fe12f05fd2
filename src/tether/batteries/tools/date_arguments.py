"""The arguments that several date and time tools share: dates and time zones as text."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tether.batteries.languages.dates.iso_dates import LONGEST_DATE
from tether.batteries.languages.dates.time_zones import LONGEST_ZONE

DateText = Annotated[str, Field(max_length=LONGEST_DATE)]
ZoneText = Annotated[str, Field(max_length=LONGEST_ZONE)]
