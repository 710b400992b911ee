"""Finds stretches of silence in sound: pauses, dead air, a microphone that was not plugged in."""

from __future__ import annotations

import array
import math
from collections.abc import Iterator

from troupe_sdk import AudioSource, DetectionError, Detector, Job, Sound

#: Milliseconds whose loudness is measured at once.
WINDOW_MS = 20


class Silence(Detector):
    def audio(self, audio: AudioSource, job: Job) -> Iterator[Sound]:
        limit = job.properties.number("MAX_LEVEL")
        if limit > 0:
            raise DetectionError(
                "INVALID_PROPERTY", f"MAX_LEVEL is {limit}, but levels are 0 dB at the most. Choose -50, for example."
            )
        shortest = job.properties.number("MIN_DURATION")
        quiet: list[float] = []
        time = audio.start_time
        for level in levels(audio):
            if level <= limit:
                quiet.append(level)
            else:
                yield from stretch(quiet, time, shortest)
                quiet = []
            time += WINDOW_MS
        yield from stretch(quiet, time, shortest)


def levels(audio: AudioSource) -> Iterator[float]:
    """The level of each window in decibels below full scale."""
    size = audio.rate * WINDOW_MS // 1000
    rest = array.array("h")
    for chunk in audio:
        rest.extend(chunk)
        whole = len(rest) - len(rest) % size
        for first in range(0, whole, size):
            yield level_of(rest[first : first + size])
        del rest[:whole]


def level_of(samples: array.array[int]) -> float:
    power = sum(sample * sample for sample in samples) / len(samples)
    return 10 * math.log10(power / 32768**2) if power > 0 else -math.inf


def stretch(quiet: list[float], stop: float, shortest: float) -> Iterator[Sound]:
    start = stop - len(quiet) * WINDOW_MS
    if quiet and stop - start >= shortest:
        loudest = max(quiet)
        level = f"{loudest:.1f}" if loudest > -math.inf else "none"
        yield Sound(start, stop, properties={"LOUDEST_LEVEL": level})
