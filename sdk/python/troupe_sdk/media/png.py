"""Decoder of PNG, PPM and PGM with the standard library. FFmpeg, the server and many cameras write these formats."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator

#: Most pixels of a picture, so that a forged header cannot fill the memory.
MOST_PIXELS = 250_000_000

PNG = b"\x89PNG\r\n\x1a\n"
#: Samples per pixel by the colour type of a PNG.
_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
#: Adam7: column and row of the first pixel of each pass, and the steps to the next column and row.
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


class PictureError(Exception):
    """Error of a picture that is damaged, or that this module cannot read."""


def decode(data: bytes) -> tuple[int, int, bytes]:
    """Returns width, height and RGB bytes of a picture. Raises PictureError."""
    if data.startswith(PNG):
        return _png(data)
    if data[:2] in (b"P5", b"P6"):
        return _netpbm(data)
    raise PictureError("it is neither PNG nor PPM")


def _netpbm(data: bytes) -> tuple[int, int, bytes]:
    head = re.match(rb"P([56])(?:\s+#[^\n]*)*\s+(\d+)(?:\s+#[^\n]*)*\s+(\d+)(?:\s+#[^\n]*)*\s+(\d+)\s", data)
    if head is None or int(head[4]) != 255:
        raise PictureError("it is no PPM or PGM of 8 bits")
    width, height = _checked(int(head[2]), int(head[3]))
    samples = 3 if head[1] == b"6" else 1
    body = data[head.end() : head.end() + width * height * samples]
    if len(body) < width * height * samples:
        raise PictureError("it is cut off")
    return width, height, body if samples == 3 else _tripled(body)


def _checked(width: int, height: int) -> tuple[int, int]:
    if width <= 0 or height <= 0 or width * height > MOST_PIXELS:
        raise PictureError(f"its size, {width}x{height}, cannot be read")
    return width, height


def _tripled(grey: bytes) -> bytes:
    out = bytearray(len(grey) * 3)
    for colour in range(3):
        out[colour::3] = grey
    return bytes(out)


class _Head:
    def __init__(self, chunk: bytes) -> None:
        width, height, self.depth, self.colour, _, _, self.interlaced = struct.unpack(">IIBBBBB", chunk)
        self.width, self.height = _checked(width, height)
        if self.colour not in _SAMPLES or self.depth not in (1, 2, 4, 8, 16):
            raise PictureError("its kind of colours is not known")
        self.samples = _SAMPLES[self.colour]
        #: Bytes per pixel, at least one: the distance to the left neighbour in filters.
        self.step = max(1, self.samples * self.depth // 8)

    def row_bytes(self, columns: int) -> int:
        return int(columns * self.samples * self.depth + 7) // 8


def _png(data: bytes) -> tuple[int, int, bytes]:
    head, palette, packed = None, b"", []
    for name, chunk in _chunks(data):
        if name == b"IHDR":
            head = _Head(chunk)
        elif name == b"PLTE":
            palette = chunk
        elif name == b"IDAT":
            packed.append(chunk)
    if head is None:
        raise PictureError("it has no head")
    raw = _inflated(b"".join(packed), head)
    out = bytearray(head.width * head.height * 3)
    at = 0
    for left, top, right, down in _PASSES if head.interlaced else ((0, 0, 1, 1),):
        columns, rows = -(-(head.width - left) // right), -(-(head.height - top) // down)
        if columns <= 0 or rows <= 0:
            continue
        for number, row in enumerate(_rows(raw, at, head, columns, rows)):
            pixels = _colours(row, head, columns, palette)
            first = ((top + number * down) * head.width + left) * 3
            for colour in range(3):
                out[first + colour : first + colour + (columns - 1) * right * 3 + 1 : right * 3] = pixels[colour::3]
        at += rows * (head.row_bytes(columns) + 1)
    return head.width, head.height, bytes(out)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(PNG)
    while at + 8 <= len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        yield name, data[at + 8 : at + 8 + length]
        at += length + 12


def _inflated(packed: bytes, head: _Head) -> bytes:
    most = (head.row_bytes(head.width) + 1) * head.height + 16 * head.height + 64
    try:
        return zlib.decompressobj().decompress(packed, most)
    except zlib.error as error:
        raise PictureError(f"its pixels cannot be unpacked ({error})") from error


def _rows(raw: bytes, at: int, head: _Head, columns: int, rows: int) -> Iterator[bytearray]:
    length = head.row_bytes(columns)
    before = bytearray(length)
    for _ in range(rows):
        row = bytearray(raw[at + 1 : at + 1 + length])
        if len(row) < length:
            raise PictureError("it is cut off")
        _unfilter(raw[at], row, before, head.step)
        yield row
        before = row
        at += length + 1


def _unfilter(kind: int, row: bytearray, before: bytearray, step: int) -> None:
    if kind == 0:
        return
    if kind == 2:
        row[:] = bytes((a + b) & 255 for a, b in zip(row, before))
    elif kind == 1:
        for i in range(step, len(row)):
            row[i] = (row[i] + row[i - step]) & 255
    elif kind == 3:
        for i in range(len(row)):
            left = row[i - step] if i >= step else 0
            row[i] = (row[i] + ((left + before[i]) >> 1)) & 255
    elif kind == 4:
        _unfilter_paeth(row, before, step)
    else:
        raise PictureError("its filter is not known")


def _unfilter_paeth(row: bytearray, before: bytearray, step: int) -> None:
    for i in range(min(step, len(row))):
        row[i] = (row[i] + before[i]) & 255
    for i in range(step, len(row)):
        a, b, c = row[i - step], before[i], before[i - step]
        pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - c - c)
        nearest = a if pa <= pb and pa <= pc else b if pb <= pc else c
        row[i] = (row[i] + nearest) & 255


def _colours(row: bytearray, head: _Head, columns: int, palette: bytes) -> bytes:
    """Returns the RGB bytes of a row. Transparency is ignored."""
    samples = _bytes_of(row, head, columns)
    if head.colour == 3:
        return b"".join(palette[index * 3 : index * 3 + 3].ljust(3, b"\0") for index in samples)
    if head.samples < 3:
        return _tripled(samples[:: head.samples])
    if head.samples == 3:
        return samples
    out = bytearray(columns * 3)
    for colour in range(3):
        out[colour::3] = samples[colour::4]
    return bytes(out)


def _bytes_of(row: bytearray, head: _Head, columns: int) -> bytes:
    """Returns one byte for each sample.

    Of 16 bits, this is the upper half. Fewer than 8 bits are scaled to 0 to 255, except indexes of a palette.
    """
    if head.depth == 8:
        return bytes(row)
    if head.depth == 16:
        return bytes(row[::2])
    most = (1 << head.depth) - 1
    factor = 1 if head.colour == 3 else 255 // most
    shifts = range(8 - head.depth, -1, -head.depth)
    return bytes(((byte >> shift) & most) * factor for byte in row for shift in shifts)[:columns]
