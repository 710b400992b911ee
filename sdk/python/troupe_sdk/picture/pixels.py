"""Rotation and cropping of packed RGB pixels, with numpy if it is installed, else in plain Python."""

from __future__ import annotations

import math
from typing import Any

from ..model import Frame
from .geometry import View, to_stored

try:
    import numpy
except ImportError:  # The standard library is enough, only slower.
    numpy = None  # type: ignore[assignment]


def shown(view: View, data: bytes, fill: int = 0) -> bytes:
    """Returns the pixels of a view. ``fill``: brightness of pixels outside the stored picture, from 0 to 255."""
    if view.is_whole:
        return data
    if view.rotation % 90 != 0:
        return _slanting(view, data, fill)
    return _right_angled_by_numpy(view, data) if numpy is not None else _right_angled(view, data)


def fill_of(colour: str) -> int:
    """Returns the brightness of corners that a rotation adds: 255 for WHITE, else 0 (BLACK)."""
    return 255 if colour.strip().upper() == "WHITE" else 0


def _stored_centre(view: View, u: int, v: int) -> tuple[float, float]:
    """Returns the centre of a pixel of the region, in pixels of the stored picture."""
    x, y = to_stored(view, view.region.x + u + 0.5, view.region.y + v + 0.5)
    return x - 0.5, y - 0.5


def _steps(view: View) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    """Returns the first pixel of the view in the stored picture, and the steps there for one pixel to the right and down."""
    origin = _stored_centre(view, 0, 0)
    right, down = _stored_centre(view, 1, 0), _stored_centre(view, 0, 1)
    return origin, (right[0] - origin[0], right[1] - origin[1]), (down[0] - origin[0], down[1] - origin[1])


def _right_angled(view: View, data: bytes) -> bytes:
    """Rotates by a multiple of 90 degrees. Each row of the view is a slice of each colour of the stored picture."""
    _, _, columns, rows = view.region
    origin, right, down = _steps(view)
    stride = view.source.width
    at = math.floor(origin[1] + 0.5) * stride + math.floor(origin[0] + 0.5)
    step = round(right[1]) * stride + round(right[0])
    below = round(down[1]) * stride + round(down[0])
    out = bytearray(columns * rows * 3)
    for v in range(rows):
        first = at + v * below
        row = out_of(data, first, step, columns)
        out[v * columns * 3 : (v + 1) * columns * 3] = row
    return bytes(out)


def out_of(data: bytes, first: int, step: int, count: int) -> bytes:
    """Returns ``count`` pixels from ``first`` on, each ``step`` pixels after the last one. Pixels outside are black."""
    last = first + (count - 1) * step
    if min(first, last) < 0 or (max(first, last) + 1) * 3 > len(data):
        places = range(first, first + count * step, step)
        return b"".join(data[at * 3 : at * 3 + 3].ljust(3, b"\0") if at >= 0 else bytes(3) for at in places)
    if step == 1:
        return data[first * 3 : (first + count) * 3]
    row = bytearray(count * 3)
    for colour in range(3):
        end = first + count * step
        row[colour::3] = data[first * 3 + colour : end * 3 + colour if end >= 0 else None : step * 3][:count]
    return bytes(row)


def _right_angled_by_numpy(view: View, data: bytes) -> bytes:
    _, _, columns, rows = view.region
    origin, right, down = _steps(view)
    picture = numpy.frombuffer(data, numpy.uint8).reshape(-1, 3)
    x = math.floor(origin[0] + 0.5) + _grid(right[0], down[0], columns, rows)
    y = math.floor(origin[1] + 0.5) + _grid(right[1], down[1], columns, rows)
    places = y * view.source.width + x
    inside = (places >= 0) & (places < len(picture))
    chosen = picture[numpy.where(inside, places, 0)]
    chosen[~inside] = 0
    return bytes(chosen.tobytes())


def _grid(right: float, down: float, columns: int, rows: int) -> Any:
    across = numpy.arange(columns)[None, :] * round(right)
    return across + numpy.arange(rows)[:, None] * round(down)


def _slanting(view: View, data: bytes, fill: int) -> bytes:
    """Rotates by any other angle. Each pixel is mixed from the four around its position; pixels outside are filled."""
    _, _, columns, rows = view.region
    origin, right, down = _steps(view)
    if numpy is not None:
        return _mixed_by_numpy(view, data, fill)
    out = bytearray([fill]) * (columns * rows * 3)
    for v in range(rows):
        for u in range(columns):
            x = origin[0] + u * right[0] + v * down[0]
            y = origin[1] + u * right[1] + v * down[1]
            mixed = _mixed(data, view.source.width, view.source.height, x, y)
            if mixed is not None:
                at = (v * columns + u) * 3
                out[at : at + 3] = mixed
    return bytes(out)


def _mixed(data: bytes, width: int, height: int, x: float, y: float) -> bytes | None:
    if x <= -0.5 or y <= -0.5 or x >= width - 0.5 or y >= height - 0.5:
        return None
    x0, y0 = max(0, math.floor(x)), max(0, math.floor(y))
    fx, fy = max(0.0, x - x0), max(0.0, y - y0)
    a = (y0 * width + x0) * 3
    b = a + 3 if x0 + 1 < width else a
    below = width * 3 if y0 + 1 < height else 0
    ar = fx * (1 - fy)
    al = 1 - fy - ar
    br = fx * fy
    bl = fy - br
    return bytes(
        int(data[a + k] * al + data[b + k] * ar + data[a + below + k] * bl + data[b + below + k] * br + 0.5) for k in range(3)
    )


def _mixed_by_numpy(view: View, data: bytes, fill: int) -> bytes:
    _, _, columns, rows = view.region
    width, height = view.source
    origin, right, down = _steps(view)
    across, along = numpy.arange(columns)[None, :], numpy.arange(rows)[:, None]
    x = origin[0] + across * right[0] + along * down[0]
    y = origin[1] + across * right[1] + along * down[1]
    outside = (x <= -0.5) | (y <= -0.5) | (x >= width - 0.5) | (y >= height - 0.5)
    x0 = numpy.clip(numpy.floor(x), 0, width - 1).astype(int)
    y0 = numpy.clip(numpy.floor(y), 0, height - 1).astype(int)
    fx, fy = numpy.clip(x - x0, 0, 1)[..., None], numpy.clip(y - y0, 0, 1)[..., None]
    x1, y1 = numpy.minimum(x0 + 1, width - 1), numpy.minimum(y0 + 1, height - 1)
    picture = numpy.frombuffer(data, numpy.uint8).reshape(height, width, 3)
    above = picture[y0, x0] * (1 - fx) + picture[y0, x1] * fx
    beneath = picture[y1, x0] * (1 - fx) + picture[y1, x1] * fx
    mixed = (above * (1 - fy) + beneath * fy + 0.5).astype(numpy.uint8)
    mixed[outside] = fill
    return bytes(mixed.tobytes())


def seen(view: View, frame: Frame, fill: int) -> Frame:
    """Returns the frame that a view shows of a stored picture."""
    if view.is_whole:
        return frame
    data = shown(view, frame.data, fill)
    return Frame(frame.index, frame.time, view.region.width, view.region.height, data, frame.warm_up)
