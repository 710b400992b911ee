import array
import math
import os
import struct
import tempfile
import unittest
from pathlib import Path

from troupe_sdk import Context, Detector, Sound
from troupe_sdk.connection.access import FixedToken
from troupe_sdk.connection.client import Client
from troupe_sdk.detection.sub_job import tracks_of
from troupe_sdk.detection.task import Task
from troupe_sdk.files.media_cache import MediaCache
from troupe_sdk.files.media_files import MediaFiles
from troupe_sdk.media.sound import sound_chunks


def wav(rate: int, channels: int, bits: int, kind: int, data: bytes, size: int = -1) -> bytes:
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits)
    length = len(data) if size < 0 else size
    return (
        b"RIFF"
        + struct.pack("<I", 36 + len(data))
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + b"data"
        + struct.pack("<I", length)
        + data
    )


class Wav(unittest.TestCase):
    def heard(self, content: bytes, start: float = 0, stop=None) -> array.array:
        with tempfile.NamedTemporaryFile(suffix=".wav", delete=False) as file:
            file.write(content)
        self.addCleanup(os.unlink, file.name)
        whole = array.array("h")
        for chunk in sound_chunks(file.name, start, stop):
            whole.extend(chunk)
        return whole

    def test_the_mean_of_all_channels_is_heard(self):
        samples = struct.pack("<6h", 100, 300, -100, -300, 32767, 32767)
        self.assertEqual(list(self.heard(wav(16000, 2, 16, 1, samples))), [200, -200, 32767])

    def test_8_24_and_32_bits_and_floats(self):
        for bits, kind, data in (
            (8, 1, bytes([128, 192])),
            (24, 1, b"\0\0\0" + b"\0\0\x40"),
            (32, 1, struct.pack("<2i", 0, 0x40000000)),
            (32, 3, struct.pack("<2f", 0, 0.5)),
            (64, 3, struct.pack("<2d", 0, 0.5)),
        ):
            with self.subTest(bits=bits, kind=kind):
                heard = list(self.heard(wav(16000, 1, bits, kind, data)))
                self.assertEqual(heard[0], 0)
                self.assertAlmostEqual(heard[1], 16384, delta=1)

    def test_other_rates_become_16000_and_a_tone_keeps_its_pitch(self):
        for rate in (8000, 11025, 44100, 48000):
            with self.subTest(rate=rate):
                tone = [round(10000 * math.sin(2 * math.pi * 440 * n / rate)) for n in range(rate)]
                heard = self.heard(wav(rate, 1, 16, 1, struct.pack(f"<{rate}h", *tone)))
                self.assertAlmostEqual(len(heard), 16000, delta=3)
                rises = sum(1 for a, b in zip(heard, heard[1:]) if a < 0 <= b)
                self.assertAlmostEqual(rises, 440, delta=1)

    def test_a_stretch_of_time_is_cut_out_and_a_file_that_was_not_closed_is_read(self):
        data = struct.pack("<1600h", *range(1600))
        self.assertEqual(list(self.heard(wav(16000, 1, 16, 1, data), 10, 11)), list(range(160, 176)))
        self.assertEqual(len(self.heard(wav(16000, 1, 16, 1, data, 0))), 1600)
        self.assertEqual(len(self.heard(wav(16000, 1, 16, 1, data[:-1]))), 1599)


class Heard(Detector):
    """Detector that reports all the sound that it receives as one stretch."""

    def audio(self, audio, job):
        samples = sum(len(chunk) for chunk in audio)
        yield Sound(audio.start_time, audio.start_time + samples / 16)


class Pieces(unittest.TestCase):
    def heard(self, **more):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "second.wav"
        path.write_bytes(wav(16000, 1, 16, 1, bytes(2 * 16000)))
        medium = {"mediaId": 1, "mediaType": "AUDIO", "mimeType": "audio/wav", "path": str(path), "length": -1, "fps": 0}
        medium |= {"metadata": {"DURATION": "1000"}, "inspected": True}
        work = {"medium": medium, "properties": {}, "range": {"start": 0, "stop": -1}, **more}
        client = Client("http://127.0.0.1:9", FixedToken("t"))
        files = MediaFiles(client, MediaCache(Path(folder.name) / "cache", 10**6))
        task = Task(Heard(), client, files, {"token": "t", "algorithm": "A", "work": work}, Context("1"))
        return [(track["startTime"], track["stopTime"]) for track in tracks_of(task)]

    def test_a_sound_is_heard_as_a_whole_or_in_the_piece_that_is_named(self):
        self.assertEqual(self.heard(), [(0, 1000)])
        self.assertEqual(self.heard(time={"start": 0, "stop": 399}), [(0, 399)])
        self.assertEqual(self.heard(time={"start": 400, "stop": 999}), [(400, 1000)])
