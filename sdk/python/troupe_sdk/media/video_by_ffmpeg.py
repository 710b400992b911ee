"""Frames from the program ffmpeg, which also prints the number of each frame."""

from __future__ import annotations

import contextlib
import functools
import queue
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from typing import IO

from ..errors import DetectionError
from ..model import Frame, Medium
from ..picture.geometry import Size
from .frame_numbers import has_constant_rate, time_of, whole_enough
from .programs import ffmpeg_passthrough, input_of
from .sampling import Sampling

#: Last frame number that is reached without seeking.
NEAR_FRAMES = 250
#: Seconds by which ffmpeg seeks before the first frame. So no frame is missed if the container seeks inexactly.
BEFORE_S = 2.0
#: Most stretches of single frames in the filter. If there are more, frames between them are read and dropped.
MOST_STRETCHES = 100
#: Number of error lines of ffmpeg in a message.
LINES = 3

_SHOWN = re.compile(r"showinfo.*\bn: *\d+ pts: *(-?\d+) ")
_TIME = re.compile(r"showinfo.*\bpts_time: *(-?[\d.]+)")


class FfmpegReader:
    def __init__(self, program: str, path: str, sampling: Sampling, medium: Medium) -> None:
        self._sampling = sampling
        self._medium = medium
        self._program = program
        self._complaints: list[str] = []
        self._numbers: queue.Queue[int | None] = queue.Queue()
        self._process = subprocess.Popen(
            _command(program, path, sampling, medium), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._listener = threading.Thread(target=self._listen, name="ffmpeg", daemon=True)
        self._listener.start()
        self._first: Frame | None = None
        self._started = False
        try:
            self._first = next(self._read(), None)
        except BaseException:
            self.close()
            raise
        if self._first is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(1)
            self.close()
            raise self._unreadable()

    @property
    def size(self) -> Size:
        assert self._first is not None
        return Size(self._first.width, self._first.height)

    def frames(self) -> Iterator[Frame]:
        return whole_enough(self._all(), self._sampling)

    def _all(self) -> Iterator[Frame]:
        kept = 0
        stretch = -1
        cap = self._sampling.cap
        wanted = None if self._sampling.frames is None else set(self._sampling.frames)
        frame = self._first
        while frame is not None:
            if wanted is None or frame.index in wanted:
                if not self._sampling.key_frames or frame.warm_up:
                    yield frame
                elif cap is None:
                    if kept % self._sampling.interval == 0:
                        yield frame
                elif cap.stretch_of(frame.index) != stretch:
                    stretch = cap.stretch_of(frame.index)
                    yield frame
                kept += not frame.warm_up
            frame = next(self._read(), None)

    def _read(self) -> Iterator[Frame]:
        """Yields the next frame with its number, or nothing at the end."""
        assert self._process.stdout is not None
        head = _head_of(self._process.stdout)
        if head is None:
            return
        width, height = head
        data = self._process.stdout.read(width * height * 3)
        number = self._numbers.get()
        if number is None or len(data) < width * height * 3:
            return
        yield Frame(number, time_of(number, self._medium), width, height, data, number < self._sampling.start)

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            text = line.decode("utf-8", "replace").rstrip()
            shown = _SHOWN.search(text)
            if shown is not None:
                self._numbers.put(int(shown[1]))
            elif "[error]" in text or "[fatal]" in text:
                self._complaints = (self._complaints + [text])[-LINES:]
        self._numbers.put(None)

    def _unreadable(self) -> DetectionError:
        ended = self._process.returncode
        died = f"ffmpeg was ended by signal {-ended}" if ended is not None and ended < 0 and ended != -signal.SIGKILL else ""
        said = "; ".join(self._complaints) or died or "it has no such frames"
        return DetectionError("COULD_NOT_READ_MEDIA", f"No frame of the video could be read: {said}")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()


def _head_of(stream: IO[bytes]) -> tuple[int, int] | None:
    """Returns width and height of the next PPM, or None at the end."""
    lines: list[bytes] = []
    while len(lines) < 3:
        line = stream.readline(64)
        if not line.endswith(b"\n"):
            return None
        lines.append(line)
    width, height = lines[1].split()
    return int(width), int(height)


def _command(program: str, path: str, sampling: Sampling, medium: Medium) -> list[str]:
    quiet = [program, "-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info"]
    seek, number = _numbering(program, path, sampling, medium)
    chain = f"setpts='{number}',select='{_selection(sampling)}',showinfo=checksum=0"
    if int(_major(program)) < 5:
        chain = chain.replace("=checksum=0", "")
    out = [*ffmpeg_passthrough(program), "-pix_fmt", "rgb24", "-c:v", "ppm", "-f", "image2pipe", "-"]
    count = [] if sampling.key_frames or sampling.frames is not None else ["-frames:v", str(len(sampling.wanted()))]
    return [*quiet, "-noautorotate", *seek, *input_of(path), "-map", "0:v:0", "-an", "-sn", "-vf", chain, *count, *out]


def _numbering(program: str, path: str, sampling: Sampling, medium: Medium) -> tuple[list[str], str]:
    """Returns the options for seeking, and the filter expression for the number of a frame.

    Frames are counted from the start, or numbered by their times after a seek if the frame rate is constant.
    """
    first = sampling.wanted()[0] if len(sampling.wanted()) > 0 else sampling.start
    if first <= NEAR_FRAMES or not has_constant_rate(medium):
        return [], "N"
    origin = _time_of_first(program, path)
    if origin is None:
        return [], "N"
    at = max(0.0, first / medium.fps - BEFORE_S)
    return ["-copyts", "-ss", f"{at:.3f}"], f"round((T-({origin:.6f}))*{medium.fps:.9f})"


def _selection(sampling: Sampling) -> str:
    if sampling.key_frames:
        return f"between(pts,{sampling.first},{sampling.stop})*eq(pict_type,I)"
    if sampling.frames is None:
        return f"between(pts,{sampling.first},{sampling.stop})*not(mod(pts-{sampling.first},{sampling.interval}))"
    stretches = _stretches(sampling.frames)
    if len(stretches) > MOST_STRETCHES:
        stretches = [(sampling.frames[0], sampling.frames[-1])]
    return "+".join(f"between(pts,{first},{last})" for first, last in stretches)


def _stretches(frames: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for frame in frames:
        if found and frame == found[-1][1] + 1:
            found[-1] = (found[-1][0], frame)
        else:
            found.append((frame, frame))
    return found


@functools.lru_cache(maxsize=64)
def _time_of_first(program: str, path: str) -> float | None:
    """Returns the timestamp of frame 0 in the container, in seconds, or None if it is unknown."""
    command = [program, "-nostdin", "-hide_banner", "-nostats", "-copyts", *input_of(path), "-map", "0:v:0"]
    command += ["-frames:v", "1", "-vf", "showinfo", "-f", "null", "-"]
    told = subprocess.run(command, capture_output=True, check=False).stderr.decode("utf-8", "replace")
    time = _TIME.search(told)
    return None if time is None else float(time[1])


def _major(program: str) -> str:
    return "4" if ffmpeg_passthrough(program)[0] == "-vsync" else "5"
