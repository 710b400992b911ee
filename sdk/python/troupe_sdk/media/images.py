"""Pictures as they are stored: not rotated, not mirrored, RGB."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

from ..errors import DetectionError
from .png import PictureError, decode
from .programs import ffmpeg, library, picture_input_of

Picture = tuple[int, int, bytes]


def read_image(path: str, from_server: Callable[[], Picture | None] | None = None) -> Picture:
    """Returns width, height and RGB bytes of a picture.

    Tries Pillow, OpenCV, the standard library (PNG, PPM), ffmpeg and finally the server. Raises DetectionError if all fail.
    """
    try:
        with open(path, "rb") as file:
            beginning = file.read(16)
    except OSError as error:
        raise DetectionError("COULD_NOT_OPEN_MEDIA", f"The image cannot be opened: {error.strerror}.") from error
    for reader in (_by_pillow, _by_opencv, _by_hand, _by_ffmpeg):
        picture = reader(path, beginning)
        if picture is not None:
            return picture
    picture = from_server() if from_server is not None else None
    if picture is not None:
        return picture
    raise DetectionError(
        "COULD_NOT_READ_MEDIA", "The image cannot be read here: install Pillow, OpenCV or ffmpeg for the component."
    )


def _by_pillow(path: str, _: bytes) -> Picture | None:
    pillow: Any = library("PIL.Image") if library("PIL") is not None else None
    if pillow is None:
        return None
    try:
        with pillow.open(path) as image:
            rgb = image.convert("RGB")
            return rgb.width, rgb.height, rgb.tobytes()
    except (OSError, ValueError, SyntaxError):
        # The picture is damaged, or another reader may know its format.
        return None


def _by_opencv(path: str, _: bytes) -> Picture | None:
    cv2 = library("cv2")
    if cv2 is None:
        return None
    image = cv2.imread(path, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    if image is None:
        return None
    height, width = image.shape[:2]
    return width, height, cv2.cvtColor(image, cv2.COLOR_BGR2RGB).tobytes()


def _by_hand(path: str, beginning: bytes) -> Picture | None:
    if not beginning.startswith((b"\x89PNG", b"P5", b"P6")):
        return None
    with open(path, "rb") as file:
        try:
            return decode(file.read())
        except PictureError:
            return None


def _by_ffmpeg(path: str, beginning: bytes) -> Picture | None:
    program = ffmpeg()
    if program is None:
        return None
    command = [program, "-nostdin", "-hide_banner", "-loglevel", "error", "-noautorotate"]
    command += picture_input_of(path, beginning)
    command += ["-frames:v", "1", "-pix_fmt", "rgb24", "-c:v", "ppm", "-f", "image2pipe", "-"]
    told = subprocess.run(command, capture_output=True, check=False)
    try:
        return decode(told.stdout)
    except PictureError:
        return None
