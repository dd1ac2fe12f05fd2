"""Distances on the sphere against published ones, geometry and vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tether import Tool
from tether.batteries.testing import run_tool
from tether.batteries.tools.geo_basics import (
    geo_bbox_contains,
    geo_distance,
    geo_within_radius,
)
from tether.core.errors import InputRefused
from tether.runtime.errors import InvalidToolArgs, ToolDownstreamError

TOOLS = [geo_distance, geo_within_radius, geo_bbox_contains]
RADIUS = 6371.0088  # km: the mean radius R1 of the WGS 84 ellipsoid, by IUGG
QUARTER = RADIUS * math.pi / 2


async def distance(one: tuple[float, float], other: tuple[float, float], **more: Any) -> Any:
    places = {
        "latitude_1": one[0],
        "longitude_1": one[1],
        "latitude_2": other[0],
        "longitude_2": other[1],
    }
    return await run_tool(geo_distance, {**places, **more})


# Geometry of the sphere: quarters of a great circle, the antipode, one degree.
GEOMETRY = [
    ((0, 0), (90, 0), QUARTER, 0.0),
    ((0, 0), (-90, 0), QUARTER, 180.0),
    ((0, 0), (0, 90), QUARTER, 90.0),
    ((0, 0), (0, -90), QUARTER, 270.0),
    ((0, 179), (0, -179), RADIUS * math.radians(2), 90.0),
    ((0, -179), (0, 179), RADIUS * math.radians(2), 270.0),
    ((10, 20), (11, 20), RADIUS * math.radians(1), 0.0),
    ((11, 20), (10, 20), RADIUS * math.radians(1), 180.0),
    ((60, 0), (60, 180), RADIUS * math.radians(60), 0.0),
    ((90, 0), (-90, 0), 2 * QUARTER, None),
    ((0, 0), (0, 180), 2 * QUARTER, None),
    ((12.5, 34.5), (-12.5, -145.5), 2 * QUARTER, None),
    ((12.5, 34.5), (12.5, 34.5), 0.0, None),
    ((90, 10), (90, -70), 0.0, None),
    ((0, 180), (0, -180), 0.0, None),
]


@pytest.mark.parametrize(("one", "other", "kilometres", "bearing"), GEOMETRY)
async def test_distances_are_those_of_geometry(
    one: tuple[float, float], other: tuple[float, float], kilometres: float, bearing: float | None
) -> None:
    result = await distance(one, other)
    assert result["distance"] == pytest.approx(kilometres, rel=1e-12, abs=1e-9)
    assert result["unit"] == "km"
    if bearing is None:
        assert result["initial_bearing"] is None
    else:
        assert result["initial_bearing"] == pytest.approx(bearing, abs=1e-9)


# In kilometres, with the initial bearing in degrees. Berlin to Paris and New York to London: air
# distances as they are commonly published, to the kilometre. Land's End to John o' Groats, and the
# bearing from Baghdad to Osaka: Chris Veness, "Calculate distance, bearing and more between
# latitude/longitude points" (968.9 km; 9 degrees, 7 minutes, 11 seconds; 60 degrees).
LANDS_END = (50 + 3 / 60 + 59 / 3600, -(5 + 42 / 60 + 53 / 3600))
JOHN_O_GROATS = (58 + 38 / 60 + 38 / 3600, -(3 + 4 / 60 + 12 / 3600))
PLACES = [
    ((52.52, 13.405), (48.8566, 2.3522), 878, 1, None),
    ((40.7128, -74.006), (51.5074, -0.1278), 5570, 1, None),
    (LANDS_END, JOHN_O_GROATS, 968.9, 0.05, 9 + 7 / 60 + 11 / 3600),
    ((35, 45), (35, 135), RADIUS * 2 * math.asin(math.cos(math.radians(35)) / 2**0.5), 1e-9, 60.2),
]


@pytest.mark.parametrize(("one", "other", "kilometres", "tolerance", "bearing"), PLACES)
async def test_distances_are_those_of_published_examples(
    one: tuple[float, float],
    other: tuple[float, float],
    kilometres: float,
    tolerance: float,
    bearing: float | None,
) -> None:
    result = await distance(one, other)
    assert result["distance"] == pytest.approx(kilometres, abs=tolerance)
    if bearing is not None:
        assert result["initial_bearing"] == pytest.approx(bearing, abs=0.06)


# The international mile and the nautical mile, in metres: NIST SP 811.
@pytest.mark.parametrize(
    ("unit", "metres"), [("m", 1), ("km", 1000), ("mi", 1609.344), ("nmi", 1852)]
)
async def test_distances_are_given_in_the_unit_asked_for(unit: str, metres: float) -> None:
    result = await distance((0, 0), (0, 1), unit=unit)
    assert result["distance"] * metres == pytest.approx(RADIUS * 1000 * math.pi / 180, rel=1e-12)
    assert result["unit"] == unit


latitudes = st.floats(-90, 90)
longitudes = st.floats(-180, 180)


def vector(latitude: float, longitude: float) -> Any:
    north, east = np.radians(latitude), np.radians(longitude)
    return np.array([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])


@given(latitudes, longitudes, latitudes, longitudes)
async def test_the_distance_is_the_angle_between_two_vectors(
    latitude_1: float, longitude_1: float, latitude_2: float, longitude_2: float
) -> None:
    one, other = vector(latitude_1, longitude_1), vector(latitude_2, longitude_2)
    # W. Kahan's formula for the angle between vectors, which is accurate for all angles
    angle = 2 * np.arctan2(np.linalg.norm(one - other), np.linalg.norm(one + other))
    result = await distance((latitude_1, longitude_1), (latitude_2, longitude_2))
    assert result["distance"] == pytest.approx(RADIUS * float(angle), rel=1e-9, abs=1e-6)
    back = await distance((latitude_2, longitude_2), (latitude_1, longitude_1))
    assert back["distance"] == pytest.approx(result["distance"], rel=1e-12, abs=1e-8)
    assert 0 <= result["distance"] <= RADIUS * math.pi
    assert result["initial_bearing"] is None or 0 <= result["initial_bearing"] < 360


@given(latitudes, longitudes, latitudes, longitudes)
async def test_going_the_way_of_the_bearing_leads_there(
    latitude_1: float, longitude_1: float, latitude_2: float, longitude_2: float
) -> None:
    result = await distance((latitude_1, longitude_1), (latitude_2, longitude_2))
    assume(result["initial_bearing"] is not None)
    angle, bearing = result["distance"] / RADIUS, math.radians(result["initial_bearing"])
    north, east = math.radians(latitude_1), math.radians(longitude_1)
    northward = np.array(
        [-math.sin(north) * math.cos(east), -math.sin(north) * math.sin(east), math.cos(north)]
    )
    eastward = np.array([-math.sin(east), math.cos(east), 0])
    direction = math.cos(bearing) * northward + math.sin(bearing) * eastward
    reached = math.cos(angle) * vector(latitude_1, longitude_1) + math.sin(angle) * direction
    assert reached == pytest.approx(vector(latitude_2, longitude_2), abs=1e-9)


async def within(radius: float, **more: Any) -> Any:
    args = {"latitude": 0, "longitude": 1, "center_latitude": 0, "center_longitude": 0}
    return await run_tool(geo_within_radius, {**args, "radius": radius, **more})


async def test_a_place_is_within_a_radius_or_not() -> None:
    one_degree = RADIUS * math.pi / 180  # 111.195 km
    assert (await within(112))["within"] is True
    assert (await within(111))["within"] is False
    result = await within(one_degree * 1000, unit="m")
    assert result["distance"] == pytest.approx(one_degree * 1000)
    assert (await within(result["distance"], unit="m"))["within"] is True  # the edge belongs to it
    assert (await within(69.1, unit="mi"))["within"] is True  # 69.093 miles
    assert (await within(69.0, unit="mi"))["within"] is False
    assert (await within(0, longitude=0)) == {"within": True, "distance": 0.0, "unit": "km"}


PLAIN = {"south": -10, "west": -20, "north": 10, "east": 20}
PACIFIC = {"south": -21, "west": 176, "north": -12, "east": -178}  # Fiji
WORLD = {"south": -90, "west": -180, "north": 90, "east": 180}
EDGE = {"south": 0, "west": 170, "north": 10, "east": 180}
OTHER_EDGE = {"south": 0, "west": -180, "north": 10, "east": -170}
POLAR = {"south": 80, "west": 0, "north": 90, "east": 10}
MERIDIAN = {"south": 0, "west": 20, "north": 10, "east": 20}

BOXES = [
    (PLAIN, 0, 0, True),
    (PLAIN, 10, 20, True),
    (PLAIN, -10, -20, True),
    (PLAIN, 10.001, 0, False),
    (PLAIN, -10.001, 0, False),
    (PLAIN, 0, 20.001, False),
    (PLAIN, 0, -20.001, False),
    (PLAIN, 0, 180, False),
    (PACIFIC, -17.7, 178, True),  # Viti Levu
    (PACIFIC, -16.8, -179.9, True),  # Taveuni, on the other side
    (PACIFIC, -17, 180, True),
    (PACIFIC, -17, -180, True),
    (PACIFIC, -17, 176, True),
    (PACIFIC, -17, -178, True),
    (PACIFIC, -17, 175.9, False),
    (PACIFIC, -17, -177.9, False),
    (PACIFIC, -17, 0, False),
    (PACIFIC, -30, 178, False),
    (WORLD, 12, 34, True),
    (EDGE, 5, 180, True),
    (EDGE, 5, -180, True),
    (EDGE, 5, -179, False),
    (OTHER_EDGE, 5, 180, True),
    (OTHER_EDGE, 5, -180, True),
    (OTHER_EDGE, 5, 179, False),
    (POLAR, 90, -120, True),
    (POLAR, 89, -120, False),
    (PLAIN, 90, 0, False),
    (MERIDIAN, 5, 20, True),
    (MERIDIAN, 5, 21, False),
]


@pytest.mark.parametrize(("box", "latitude", "longitude", "expected"), BOXES)
async def test_a_place_is_in_a_box_or_not(
    box: dict[str, float], latitude: float, longitude: float, expected: bool
) -> None:
    result = await run_tool(
        geo_bbox_contains, {**box, "latitude": latitude, "longitude": longitude}
    )
    assert result == {"contains": expected, "crosses_antimeridian": box is PACIFIC}


@given(st.floats(-89, 89), longitudes, longitudes, longitudes)
async def test_every_place_is_in_a_box_or_in_the_one_that_completes_it(
    latitude: float, longitude: float, west: float, east: float
) -> None:
    assume(len({longitude, west, east}) == 3)
    assume(180 not in (abs(longitude), abs(west), abs(east)))
    place = {"latitude": latitude, "longitude": longitude, "south": -90, "north": 90}
    box = await run_tool(geo_bbox_contains, {**place, "west": west, "east": east})
    rest = await run_tool(geo_bbox_contains, {**place, "west": east, "east": west})
    assert box["contains"] is not rest["contains"]


async def test_a_box_upside_down_is_refused() -> None:
    args = {**PLAIN, "south": 20, "latitude": 0, "longitude": 0}
    with pytest.raises(ToolDownstreamError, match=r"south \(20.0\) is north of north") as caught:
        await run_tool(geo_bbox_contains, args)
    assert isinstance(caught.value.__cause__, InputRefused)


BAD: list[tuple[Tool, str, Any]] = [
    (geo_distance, "latitude_1", 90.001),
    (geo_distance, "latitude_2", -91),
    (geo_distance, "longitude_1", 181),
    (geo_distance, "longitude_2", -180.5),
    (geo_distance, "latitude_1", "52.5"),
    (geo_distance, "longitude_1", True),
    (geo_distance, "unit", "parsec"),
    (geo_within_radius, "radius", -1),
    (geo_within_radius, "center_latitude", 100),
    (geo_bbox_contains, "north", 91),
    (geo_bbox_contains, "west", None),
]


@pytest.mark.parametrize(("tool", "name", "value"), BAD)
async def test_a_bad_argument_is_refused_by_name(tool: Tool, name: str, value: Any) -> None:
    with pytest.raises(InvalidToolArgs, match=f" {name}: "):
        await run_tool(tool, {**tool.meta.get("example"), name: value})


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
async def test_a_number_has_to_be_finite(value: float) -> None:
    for tool, name in ((geo_distance, "latitude_1"), (geo_within_radius, "radius")):
        with pytest.raises(InvalidToolArgs):
            await run_tool(tool, {**tool.meta.get("example"), name: value})
