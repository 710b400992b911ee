"""Sound for detectors: mono, 16,000 samples per second, 16 bits. The standard library reads WAV, ffmpeg all other formats."""

from __future__ import annotations

import array
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import IO, Any

from ..errors import DetectionError
from ..model import SAMPLE_RATE
from .programs import ffmpeg, input_of

#: Number of samples that are read at once.
BLOCK = 16_384
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE


def sound_chunks(path: str, start_ms: float, stop_ms: float | None) -> Iterator[Any]:
    """Yields chunks of ``array.array('h')`` between two times of the medium, or to the end if ``stop_ms`` is None.

    Raises DetectionError if the sound cannot be read.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115 - it stays open while chunks are read
    except OSError as error:
        raise DetectionError("COULD_NOT_OPEN_MEDIA", f"The sound cannot be opened: {error.strerror}.") from error
    with file:
        form = wave_form(file)
        if form is not None:
            yield from _within(_resampled(_mono(file, form), form.rate), start_ms, stop_ms)
            return
    yield from _by_ffmpeg(path, start_ms, stop_ms)


class WaveForm:
    def __init__(self, chunk: bytes) -> None:
        self.kind, self.channels, self.rate, _, _, self.bits = struct.unpack("<HHIIHH", chunk[:16])
        #: Bytes of one sample of all channels. It is computed, because the field of the file is sometimes wrong.
        self.block = self.channels * self.bits // 8
        if self.kind == _EXTENSIBLE and len(chunk) >= 26:
            (self.kind,) = struct.unpack("<H", chunk[24:26])
        self.bytes_left = 0

    @property
    def is_known(self) -> bool:
        sizes = {_PCM: (8, 16, 24, 32), _FLOAT: (32, 64)}
        return self.bits in sizes.get(self.kind, ()) and self.channels > 0 and self.rate > 0


def wave_form(file: IO[bytes]) -> WaveForm | None:
    """Returns the format of the samples, and moves the file to the first one. Returns None if it is not a known kind of WAV."""
    head = file.read(12)
    if head[:4] != b"RIFF" or head[8:12] != b"WAVE":
        return None
    form: WaveForm | None = None
    while True:
        name = file.read(8)
        if len(name) < 8:
            return None
        (size,) = struct.unpack("<I", name[4:])
        if name[:4] == b"data":
            if form is None or not form.is_known:
                return None
            # An interrupted recorder, or one that writes to a pipe, stores 0 or the largest possible size.
            form.bytes_left = size if 0 < size < 0xFFFFFFFF - 0xFFFF else sys.maxsize
            return form
        chunk = file.read(size + size % 2)
        if name[:4] == b"fmt " and size >= 16:
            form = WaveForm(chunk)


def _mono(file: IO[bytes], form: WaveForm) -> Iterator[list[float]]:
    """Yields blocks of samples from -32768 to 32767, each the mean of all channels."""
    left = form.bytes_left
    while left > 0:
        data = file.read(min(left, BLOCK * form.block))
        data = data[: len(data) // form.block * form.block]
        if data == b"":
            return
        left -= len(data)
        samples = _samples(data, form)
        if form.channels == 1:
            yield samples
        else:
            channels = [samples[channel :: form.channels] for channel in range(form.channels)]
            yield [sum(together) / form.channels for together in zip(*channels)]


def _samples(data: bytes, form: WaveForm) -> list[float]:
    if form.kind == _FLOAT:
        return [value * 32767 for value in _numbers("f" if form.bits == 32 else "d", data)]
    if form.bits == 8:
        return [(value - 128) * 256.0 for value in data]
    if form.bits == 16:
        return list(_numbers("h", data))
    if form.bits == 32:
        return [value / 65536 for value in _numbers("i", data)]
    # The upper 16 of 24 bits.
    upper = bytearray(len(data) // 3 * 2)
    upper[0::2], upper[1::2] = data[1::3], data[2::3]
    return list(_numbers("h", bytes(upper)))


def _numbers(kind: str, data: bytes) -> Any:
    values = array.array(kind, data)
    if sys.byteorder == "big":
        values.byteswap()
    return values


def _resampled(blocks: Iterator[list[float]], rate: int) -> Iterator[Any]:
    """Converts to 16,000 samples per second: averages samples of a higher rate, and interpolates those of a lower rate."""
    if rate == SAMPLE_RATE:
        for block in blocks:
            yield _clipped(block)
        return
    step = rate / SAMPLE_RATE
    rest: list[float] = []
    at = 0.0
    for block in blocks:
        rest += block
        out = []
        while at + step + 1 < len(rest):
            out.append(_mean(rest, at, step) if step > 1 else _between(rest, at))
            at += step
        yield _clipped(out)
        done = int(at)
        rest, at = rest[done:], at - done
    tail = int((len(rest) - at) / step)
    yield _clipped([_between(rest, min(at + n * step, len(rest) - 1)) for n in range(max(0, tail))])


def _mean(samples: list[float], at: float, step: float) -> float:
    first, last = int(at), int(at + step)
    return sum(samples[first : max(last, first + 1)]) / max(last - first, 1)


def _between(samples: list[float], at: float) -> float:
    left = int(at)
    right = min(left + 1, len(samples) - 1)
    return samples[left] + (samples[right] - samples[left]) * (at - left)


def _clipped(values: list[float]) -> Any:
    return array.array("h", [max(-32768, min(32767, round(value))) for value in values])


def _within(chunks: Iterator[Any], start_ms: float, stop_ms: float | None) -> Iterator[Any]:
    first = round(start_ms * SAMPLE_RATE / 1000)
    last = sys.maxsize if stop_ms is None else round(stop_ms * SAMPLE_RATE / 1000)
    at = 0
    for chunk in chunks:
        if at >= last:
            return
        part = chunk[max(0, first - at) : last - at]
        at += len(chunk)
        if len(part) > 0:
            yield part


def _by_ffmpeg(path: str, start_ms: float, stop_ms: float | None) -> Iterator[Any]:
    program = ffmpeg()
    if program is None:
        raise DetectionError(
            "COULD_NOT_READ_MEDIA", "Only sound in WAV files can be read here: install ffmpeg for the component."
        )
    command = [program, "-nostdin", "-hide_banner", "-loglevel", "error", *input_of(path), "-map", "0:a:0", "-vn"]
    command += ["-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", str(SAMPLE_RATE), "-f", "s16le", "-"]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints)
        assert process.stdout is not None
        try:
            yield from _within(_raw(process.stdout), start_ms, stop_ms)
            if process.stdout.read(1) == b"" and process.wait() != 0:
                complaints.seek(0)
                said = complaints.read(2000).decode("utf-8", "replace").strip()
                raise DetectionError("COULD_NOT_READ_MEDIA", f"The sound cannot be read: {said}")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def _raw(stream: IO[bytes]) -> Iterator[Any]:
    while True:
        data = stream.read(BLOCK * 2)
        if len(data) < 2:
            return
        yield _numbers("h", data[: len(data) // 2 * 2])
