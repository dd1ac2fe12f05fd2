"""Geography: distances and areas on the earth, taken as a sphere of its mean radius."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field

from tether.batteries.tools.ready_made import ready_made
from tether.core.errors import InputRefused

EARTH_RADIUS = 6371.0088
"""In kilometres: the mean of the three semi-axes of the ellipsoid of WGS 84, as of IUGG."""

NEGLIGIBLE = 1e-12
"""In radians, a few micrometres: places this close count as the same."""

KILOMETRES = {"km": 1.0, "m": 0.001, "mi": 1.609344, "nmi": 1.852}

Latitude = Annotated[float, Field(strict=True, ge=-90, le=90)]
Longitude = Annotated[float, Field(strict=True, ge=-180, le=180)]
DistanceUnit = Literal["km", "m", "mi", "nmi"]


@ready_made(
    example={
        "latitude_1": 52.52,
        "longitude_1": 13.405,
        "latitude_2": 48.8566,
        "longitude_2": 2.3522,
    }
)
def geo_distance(
    *,
    latitude_1: Latitude,
    longitude_1: Longitude,
    latitude_2: Latitude,
    longitude_2: Longitude,
    unit: DistanceUnit = "km",
) -> dict[str, Any]:
    """Measure the great-circle distance between two places, and the initial bearing.

    The earth is taken as a sphere with a radius of 6371.0088 km, accurate to about half a per cent;
    it is the distance by air, not by road. The initial bearing is in degrees clockwise
    from north, at the first place; null if the second is the same place, or the opposite one.

    Args:
        latitude_1: Latitude of the first place in degrees, south negative.
        longitude_1: Longitude of the first place in degrees, west negative.
        latitude_2: Latitude of the second place.
        longitude_2: Longitude of the second place.
        unit: The unit of the distance: kilometres, metres, miles or nautical miles.
    """
    angle, bearing = _great_circle(latitude_1, longitude_1, latitude_2, longitude_2)
    return {
        "distance": angle * EARTH_RADIUS / KILOMETRES[unit],
        "unit": unit,
        "initial_bearing": bearing,
    }


@ready_made(
    example={
        "latitude": 48.8049,
        "longitude": 2.1204,
        "center_latitude": 48.8566,
        "center_longitude": 2.3522,
        "radius": 20,
    }
)
def geo_within_radius(
    *,
    latitude: Latitude,
    longitude: Longitude,
    center_latitude: Latitude,
    center_longitude: Longitude,
    radius: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)],
    unit: DistanceUnit = "km",
) -> dict[str, Any]:
    """Say whether a place lies within a certain distance of another, and how far away it is.

    A place at exactly that distance lies within it. Distances are those of geo_distance.

    Args:
        latitude: Latitude of the place in degrees, south negative.
        longitude: Longitude of the place in degrees, west negative.
        center_latitude: Latitude of the centre.
        center_longitude: Longitude of the centre.
        radius: The greatest distance from the centre.
        unit: The unit of the radius: kilometres, metres, miles or nautical miles.
    """
    angle, _ = _great_circle(center_latitude, center_longitude, latitude, longitude)
    distance = angle * EARTH_RADIUS / KILOMETRES[unit]
    return {"within": distance <= radius, "distance": distance, "unit": unit}


@ready_made(
    example={
        "latitude": -17.7,
        "longitude": 178.0,
        "south": -21.0,
        "west": 176.0,
        "north": -12.0,
        "east": -178.0,
    }
)
def geo_bbox_contains(
    *,
    latitude: Latitude,
    longitude: Longitude,
    south: Latitude,
    west: Longitude,
    north: Latitude,
    east: Longitude,
) -> dict[str, Any]:
    """Say whether a place lies in a box between two latitudes and two longitudes.

    The box reaches from west eastwards to east: if west is greater than east it crosses the
    antimeridian. Its edges belong to it. Longitudes 180 and -180 are the same, and a pole lies in
    every box that reaches to it.

    Args:
        latitude: Latitude of the place in degrees, south negative.
        longitude: Longitude of the place in degrees, west negative.
        south: Latitude of the southern edge.
        west: Longitude of the western edge.
        north: Latitude of the northern edge.
        east: Longitude of the eastern edge.
    """
    if south > north:
        raise InputRefused(f"south ({south}) is north of north ({north}): exchange them")
    in_height = south <= latitude <= north
    in_width = abs(latitude) == 90 or any(
        _is_between(west, same, east) for same in _same_meridian(longitude)
    )
    return {"contains": in_height and in_width, "crosses_antimeridian": west > east}


def _is_between(west: float, longitude: float, east: float) -> bool:
    if west <= east:
        return west <= longitude <= east
    return longitude >= west or longitude <= east


def _same_meridian(longitude: float) -> tuple[float, ...]:
    return (180.0, -180.0) if abs(longitude) == 180 else (longitude,)


def _great_circle(
    latitude_1: float, longitude_1: float, latitude_2: float, longitude_2: float
) -> tuple[float, float | None]:
    """Return the angle between two places, in radians, and the bearing at the first, in degrees.

    The angle is taken from its sine and its cosine together: the haversine formula loses digits
    near the opposite place, and the law of cosines near the same one.
    """
    north_1, north_2 = math.radians(latitude_1), math.radians(latitude_2)
    turn = math.radians(longitude_2 - longitude_1)
    sine_1, cosine_1 = math.sin(north_1), math.cos(north_1)
    sine_2, cosine_2 = math.sin(north_2), math.cos(north_2)
    eastward = cosine_2 * math.sin(turn)
    northward = cosine_1 * sine_2 - sine_1 * cosine_2 * math.cos(turn)
    outward = sine_1 * sine_2 + cosine_1 * cosine_2 * math.cos(turn)
    sideward = math.hypot(eastward, northward)
    if sideward < NEGLIGIBLE:
        return (0.0 if outward > 0 else math.pi), None
    bearing = math.degrees(math.atan2(eastward, northward))
    return math.atan2(sideward, outward), (bearing + 360) % 360
