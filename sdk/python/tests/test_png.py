import random
import struct
import unittest
import zlib

from troupe_sdk.media.png import PictureError, decode


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def filtered(kind: int, row: bytes, before: bytes, step: int) -> bytes:
    """Applies a filter of the PNG specification. This is the inverse of the code under test, written independently."""
    out = bytearray()
    for i, value in enumerate(row):
        a = row[i - step] if i >= step else 0
        b = before[i]
        c = before[i - step] if i >= step else 0
        p = a + b - c
        nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        out.append((value - (0, a, b, (a + b) // 2, nearest)[kind]) % 256)
    return bytes(out)


def png(width: int, rows: list, depth: int, colour: int, step: int, palette: bytes = b"") -> bytes:
    before, packed = bytes(len(rows[0])), b""
    for number, row in enumerate(rows):
        kind = number % 5
        packed += bytes([kind]) + filtered(kind, row, before, step)
        before = row
    head = struct.pack(">IIBBBBB", width, len(rows), depth, colour, 0, 0, 0)
    body = zlib.compress(packed)
    parts = [chunk(b"IHDR", head), *([chunk(b"PLTE", palette)] if palette else [])]
    return b"\x89PNG\r\n\x1a\n" + b"".join([*parts, chunk(b"IDAT", body[:7]), chunk(b"IDAT", body[7:]), chunk(b"IEND", b"")])


class Png(unittest.TestCase):
    def test_every_filter_is_undone(self):
        rng = random.Random(1)
        rows = [rng.randbytes(7 * 3) for _ in range(11)]
        self.assertEqual(decode(png(7, rows, 8, 2, 3)), (7, 11, b"".join(rows)))

    def test_what_is_transparent_shows_its_colours_and_16_bits_their_upper_half(self):
        rng = random.Random(2)
        rows = [rng.randbytes(5 * 8) for _ in range(6)]
        wanted = b"".join(row[at : at + 6 : 2] for row in rows for at in range(0, 40, 8))
        self.assertEqual(decode(png(5, rows, 16, 6, 8)), (5, 6, wanted))

    def test_grey_of_few_bits_is_stretched_and_a_palette_looked_up(self):
        self.assertEqual(decode(png(9, [b"\xaa\x80"], 1, 0, 1))[2], bytes([255] * 3 + [0] * 3) * 4 + bytes([255] * 3))
        palette = bytes(range(12))
        self.assertEqual(decode(png(4, [b"\x1b"], 2, 3, 1, palette))[2], palette)

    def test_what_is_cut_off_or_too_large_is_an_error(self):
        good = png(3, [bytes(9)] * 3, 8, 2, 3)
        for bad in (
            good[:50],
            good[:40],
            b"GIF89a",
            good.replace(struct.pack(">II", 3, 3), struct.pack(">II", 1 << 30, 1 << 30)),
        ):
            with self.assertRaises(PictureError):
                decode(bad)

    def test_ppm_and_pgm(self):
        self.assertEqual(decode(b"P6 2 1 255\n" + bytes(range(6))), (2, 1, bytes(range(6))))
        self.assertEqual(decode(b"P5\n# made by hand\n2 1\n255\n\x01\x02"), (2, 1, b"\x01\x01\x01\x02\x02\x02"))
