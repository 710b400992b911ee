"""Orientation and search region of pictures, from the properties of the sub-job."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..errors import DetectionError
from ..properties import Properties
from .geometry import Orientation, Region, Size, View, rotated_size


def wanted_orientation(properties: Properties, metadata: Mapping[str, str]) -> Orientation:
    """Returns the orientation. ROTATION and HORIZONTAL_FLIP override the values of the medium for AUTO_ROTATE and AUTO_FLIP."""
    automatic = metadata.get("ROTATION", "") if properties.is_true("AUTO_ROTATE") else ""
    wanted = _degrees(_given(properties, "ROTATION") or automatic.strip() or "0")
    threshold = properties.number("ROTATION_THRESHOLD", 0)
    rotation = 0.0 if min(wanted, 360 - wanted) < threshold else wanted
    mirrored = metadata.get("HORIZONTAL_FLIP", "") if properties.is_true("AUTO_FLIP") else ""
    return Orientation(rotation, (_given(properties, "HORIZONTAL_FLIP") or mirrored).strip().lower() == "true")


def picture_view(properties: Properties, metadata: Mapping[str, str], source: Size, with_region: bool) -> View:
    """Returns the view of the pictures of a medium. ``with_region``: True to crop them to the search region."""
    rotation, flip = wanted_orientation(properties, metadata)
    upright = rotated_size(source, rotation)
    region = search_region(properties, upright) if with_region else Region(0, 0, *upright)
    return View(source, upright, region, rotation, flip)


def search_region(properties: Properties, size: Size) -> Region:
    """Returns the search region in pixels, or the whole picture if it is disabled. Raises DetectionError if it is empty."""
    if not properties.is_true("SEARCH_REGION_ENABLE_DETECTION"):
        return Region(0, 0, *size)
    left = _edge(properties, "TOP_LEFT_X", size.width, 0)
    top = _edge(properties, "TOP_LEFT_Y", size.height, 0)
    right = _edge(properties, "BOTTOM_RIGHT_X", size.width, size.width)
    bottom = _edge(properties, "BOTTOM_RIGHT_Y", size.height, size.height)
    if right <= left or bottom <= top:
        raise DetectionError(
            "INVALID_PROPERTY",
            f"The SEARCH_REGION properties leave nothing of the {size.width}x{size.height} picture: "
            f"left {left}, top {top}, right {right}, bottom {bottom}.",
        )
    return Region(left, top, right - left, bottom - top)


def _edge(properties: Properties, name: str, length: int, otherwise: int) -> int:
    """Returns an edge in pixels, from pixels or percent of the length; ``otherwise`` if it is zero, negative or missing."""
    name = f"SEARCH_REGION_{name}_DETECTION"
    text = _given(properties, name)
    if text == "":
        return otherwise
    percent = text.endswith("%")
    try:
        value = float(text[:-1] if percent else text)
    except ValueError:
        raise DetectionError(
            "INVALID_PROPERTY",
            f'The {name} property has the value "{text}", which is neither a number of pixels nor a percentage.',
        ) from None
    if value <= 0:
        return otherwise
    return min(length, int(min(value, 100) * length / 100 if percent else value))


def _given(properties: Mapping[str, str], name: str) -> str:
    return properties.get(name, "").strip()


def _degrees(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DetectionError(
            "INVALID_PROPERTY", f'The ROTATION property has the value "{text}", which is not a number of degrees.'
        )
    return value % 360
