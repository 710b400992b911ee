"""Properties by type, and boxes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


def get_property(properties: Mapping[str, str], key: str, default_value: T, prop_type: Any = None) -> T:
    """Returns the value, converted to ``prop_type`` or else to the type of the default.

    Returns the default if the value is missing or cannot be converted.
    """
    if key not in properties:
        return default_value
    kind: Any = prop_type or type(default_value)
    value: Any
    try:
        value = properties[key].strip().upper() == "TRUE" if kind is bool else kind(properties[key])
        return value  # type: ignore[no-any-return]
    except (TypeError, ValueError):
        return default_value


class Point(NamedTuple):
    x: float
    y: float


class Size(NamedTuple):
    width: int
    height: int

    @staticmethod
    def from_frame(frame: Any) -> Size:
        return Size(frame.shape[1], frame.shape[0])


class Rect(NamedTuple):
    x: float
    y: float
    width: float
    height: float

    @property
    def tl(self) -> Point:
        return Point(self.x, self.y)

    @property
    def br(self) -> Point:
        return Point(self.x + self.width, self.y + self.height)

    def empty(self) -> bool:
        return self.area() <= 0

    def area(self) -> float:
        return self.width * self.height

    def size(self) -> Size:
        return Size(int(self.width), int(self.height))

    @staticmethod
    def from_corner_and_size(corner: tuple[float, float], size: tuple[float, float]) -> Rect:
        return Rect(corner[0], corner[1], size[0], size[1])

    @staticmethod
    def from_corners(one: tuple[float, float], other: tuple[float, float]) -> Rect:
        left, top = min(one[0], other[0]), min(one[1], other[1])
        return Rect(left, top, max(one[0], other[0]) - left, max(one[1], other[1]) - top)

    @staticmethod
    def from_image_location(location: Any) -> Rect:
        return Rect(location.x_left_upper, location.y_left_upper, location.width, location.height)

    def union(self, other: Rect) -> Rect:
        if self.empty() or other.empty():
            return other if self.empty() else self
        left, top = min(self.x, other.x), min(self.y, other.y)
        return Rect.from_corners((left, top), (max(self.br.x, other.br.x), max(self.br.y, other.br.y)))

    def intersection(self, other: Rect) -> Rect:
        left, top = max(self.x, other.x), max(self.y, other.y)
        right, bottom = min(self.br.x, other.br.x), min(self.br.y, other.br.y)
        return Rect(left, top, right - left, bottom - top) if right > left and bottom > top else Rect(0, 0, 0, 0)
