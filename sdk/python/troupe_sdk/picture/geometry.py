"""Geometry of rotated, mirrored and cropped pictures, and of the boxes of a detector in the stored picture.

A detection is reported by the corner that is the top left one for the detector, in pixels of the stored picture. Its properties
ROTATION and HORIZONTAL_FLIP describe the box in the stored picture. The box is rotated counter-clockwise around that corner,
then mirrored at the vertical line through the corner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple


class Size(NamedTuple):
    width: int
    height: int


class Region(NamedTuple):
    x: float
    y: float
    width: int
    height: int


class Orientation(NamedTuple):
    #: Degrees, from 0 to below 360.
    rotation: float
    flip: bool


class Turn(NamedTuple):
    """Clockwise rotation of a picture, with y downwards, and the top left corner of the rotated picture."""

    sin: float
    cos: float
    left: float
    top: float


class Placed(NamedTuple):
    """A box in pixels of the stored picture, with its orientation there."""

    x: float
    y: float
    width: float
    height: float
    rotation: float = 0.0
    flip: bool = False


class View(NamedTuple):
    """What a detector sees: the stored picture, rotated clockwise, then mirrored, then cropped to a region."""

    source: Size
    upright: Size
    region: Region
    rotation: float
    flip: bool

    @property
    def is_whole(self) -> bool:
        return self.rotation == 0 and not self.flip and self.region == (0, 0, *self.source)


def turn(size: Size, rotation: float) -> Turn:
    """Returns a rotation. It is exact at multiples of 90 degrees, where sine and cosine have rounding errors."""
    width, height = size
    quarter = rotation / 90
    sin: float
    cos: float
    if quarter == int(quarter):
        sin, cos = ((0, 1), (1, 0), (0, -1), (-1, 0))[int(quarter) % 4]
    else:
        sin, cos = math.sin(math.radians(rotation)), math.cos(math.radians(rotation))
    left = min(0, width * cos) + min(0, -height * sin)
    top = min(0, width * sin) + min(0, height * cos)
    return Turn(sin, cos, left, top)


def rotated_size(size: Size, rotation: float) -> Size:
    """Returns the size of the smallest picture that contains the rotated one."""
    sin, cos, _, _ = turn(size, rotation)
    width = size.width * abs(cos) + size.height * abs(sin)
    height = size.width * abs(sin) + size.height * abs(cos)
    return Size(math.ceil(width - 1e-6), math.ceil(height - 1e-6))


def to_upright(view: View, x: float, y: float) -> tuple[float, float]:
    """Converts a point of the stored picture to one of the rotated and mirrored picture."""
    sin, cos, left, top = turn(view.source, view.rotation)
    across = x * cos - y * sin - left
    return (view.upright.width - across if view.flip else across, x * sin + y * cos - top)


def to_stored(view: View, u: float, v: float) -> tuple[float, float]:
    """Converts a point of the rotated and mirrored picture to one of the stored picture."""
    sin, cos, left, top = turn(view.source, view.rotation)
    x = (view.upright.width - u if view.flip else u) + left
    y = v + top
    return x * cos + y * sin, y * cos - x * sin


def box_to_medium(view: View, x: float, y: float, width: float, height: float) -> Placed:
    """Converts a box in pixels of the view to one in whole pixels of the stored picture."""
    corner_x, corner_y = to_stored(view, _round(x) + view.region.x, _round(y) + view.region.y)
    rotation = (360 - view.rotation) % 360 if view.flip else view.rotation
    return Placed(_round(corner_x), _round(corner_y), _whole_length(x, width), _whole_length(y, height), rotation, view.flip)


def _whole_length(start: float, length: float) -> int:
    """Rounds a length. A positive length becomes at least 1."""
    return max(1, _round(start + length) - _round(start)) if length > 0 else 0


def _round(value: float) -> int:
    """Rounds to a whole number. Halves are rounded up, as on the server."""
    return math.floor(value + 0.5)


def orientation_of(properties: Mapping[str, object]) -> Orientation:
    """Returns the orientation that the properties of a detection describe, in degrees counter-clockwise."""
    try:
        rotation = float(str(properties.get("ROTATION", "0") or "0"))
    except ValueError:
        rotation = 0.0
    rotation = rotation % 360 if math.isfinite(rotation) else 0.0
    return Orientation(rotation, str(properties.get("HORIZONTAL_FLIP", "")).strip().lower() == "true")


def region_view(box: Placed, source: Size) -> View | None:
    """Returns the upright view of the region in a box, or None if the box is outside the picture."""
    rotation = (360 - box.rotation) % 360 if box.flip else box.rotation
    upright = rotated_size(source, rotation)
    whole = View(source, upright, Region(0, 0, *upright), rotation, box.flip)
    x, y = to_upright(whole, box.x, box.y)
    left, width = _clipped(x, _round(box.width), upright.width)
    top, height = _clipped(y, _round(box.height), upright.height)
    view = whole._replace(region=Region(left, top, width, height))
    return view if width > 0 and height > 0 and not _is_outside(view) else None


def _clipped(start: float, length: int, limit: int) -> tuple[float, int]:
    """Removes whole pixels from both ends of a stretch until it lies between 0 and the limit. Returns its start and length."""
    before = max(0, math.floor(-start + 1e-6))
    after = max(0, math.floor(start + length - limit + 1e-6))
    return start + before, length - before - after


def _is_outside(view: View) -> bool:
    """True if a slanting region does not overlap the picture, although it lies in the box around the rotated picture."""
    x, y, width, height = view.region
    corners = [to_stored(view, x + dx * width, y + dy * height) for dx in (0, 1) for dy in (0, 1)]
    xs, ys = [corner[0] for corner in corners], [corner[1] for corner in corners]
    return max(xs) <= 0 or max(ys) <= 0 or min(xs) >= view.source.width or min(ys) >= view.source.height


def box_around(boxes: list[Placed]) -> Placed:
    """Returns the smallest box around boxes (at least one), with the orientation of the first."""
    first = boxes[0]
    if len(boxes) == 1:
        return first
    solid = [box for box in boxes if box.width > 0 and box.height > 0]
    points = [_into_plane(first, *corner) for box in solid for corner in _corners(box)]
    if not points:
        return first
    left, top = min(x for x, _ in points), min(y for _, y in points)
    right, bottom = max(x for x, _ in points), max(y for _, y in points)
    x, y = _out_of_plane(first, left, top)
    return first._replace(x=x, y=y, width=right - left, height=bottom - top)


def _corners(box: Placed) -> list[tuple[float, float]]:
    offsets = [_out_of_plane(box, dx * box.width, dy * box.height) for dx in (0, 1) for dy in (0, 1)]
    return [(box.x + dx, box.y + dy) for dx, dy in offsets]


def _out_of_plane(box: Placed, x: float, y: float) -> tuple[float, float]:
    """Converts a point of the plane in which the box is upright to the stored picture. Both planes have the same origin."""
    sin, cos, _, _ = turn(Size(0, 0), box.rotation)
    return (-1 if box.flip else 1) * (x * cos + y * sin), y * cos - x * sin


def _into_plane(box: Placed, x: float, y: float) -> tuple[float, float]:
    sin, cos, _, _ = turn(Size(0, 0), box.rotation)
    mirror = -1 if box.flip else 1
    return mirror * x * cos - y * sin, mirror * x * sin + y * cos
