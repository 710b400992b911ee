"""Programs and libraries of this host that can read media."""

from __future__ import annotations

import functools
import importlib
import os
import re
import shutil
import subprocess
from typing import Any

from ..errors import DetectionError

#: Demuxers of formats without references to other files, as on the server. Playlists (HLS, DASH, concat, SDP) are excluded: their
#: references would let a client read files and addresses that it may not read.
FORMATS = (
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,m4v,h264,hevc,av1,obu,ivf,gif,apng,ogg,flv,live_flv,"
    "asf,rm,mxf,nut,nsv,wtv,dv,mjpeg,yuv4mpegpipe,swf,vob,h263,h261,vc1,wav,w64,mp3,aac,flac,amr,amrnb,amrwb,aiff,caf,au,"
    "ac3,eac3,dts,truehd,tta,wv,ape,voc,opus,spx,gsm,sln"
)
#: First bytes of single pictures, and the demuxer for each.
PICTURES = (
    (b"\x89PNG", "png_pipe"),
    (b"\xff\xd8\xff", "jpeg_pipe"),
    (b"BM", "bmp_pipe"),
    (b"II*\0", "tiff_pipe"),
    (b"MM\0*", "tiff_pipe"),
    (b"RIFF", "webp_pipe"),
    (b"P1", "pbm_pipe"),
    (b"P4", "pbm_pipe"),
    (b"P2", "pgm_pipe"),
    (b"P5", "pgm_pipe"),
    (b"P3", "ppm_pipe"),
    (b"P6", "ppm_pipe"),
    (b"P7", "pam_pipe"),
    (b"qoif", "qoi_pipe"),
    (b"8BPS", "psd_pipe"),
    (b"\0\0\0\x0cjP", "j2k_pipe"),
    (b"\xff\x4f\xff\x51", "j2k_pipe"),
    (b"#?RADIANCE", "hdr_pipe"),
    (b"v/1\x01", "exr_pipe"),
)
#: Number of bytes that FFmpeg reads to recognize the format of a file.
LOOKED_AT = 1 << 20


def ffmpeg() -> str | None:
    """Returns the path of ffmpeg, from TROUPE_FFMPEG or else the PATH; None if it is missing or TROUPE_FFMPEG is ``none``."""
    named = os.environ.get("TROUPE_FFMPEG", "")
    if named == "none":
        return None
    return shutil.which(named or "ffmpeg")


def input_of(path: str, formats: str = FORMATS) -> list[str]:
    """Returns the options with which ffmpeg opens a medium, and no other file."""
    return ["-protocol_whitelist", "file", "-format_whitelist", formats, "-i", f"file:{path}"]


def picture_input_of(path: str, beginning: bytes) -> list[str]:
    """Returns the options with which ffmpeg opens a picture. They name a demuxer.

    By the file name alone, ffmpeg would choose a demuxer that also reads other files with similar names.
    """
    for start, demuxer in PICTURES:
        if beginning.startswith(start):
            return ["-f", demuxer, *input_of(path, demuxer)]
    return input_of(path)


def refuse_playlist(path: str) -> None:
    """Raises DetectionError if a medium is a playlist. This protects libraries in which formats cannot be excluded."""
    try:
        with open(path, "rb") as file:
            beginning = file.read(LOOKED_AT)
    except OSError as error:
        raise DetectionError("COULD_NOT_OPEN_MEDIA", f"The medium cannot be opened: {error.strerror}.") from error
    # FFmpeg reads a text up to its first NUL byte, and skips an ID3 tag.
    text = beginning.split(b"\0", 1)[0].lower()
    named = (b"#extm3u", b"ffconcat", b"id3", b"[playlist]")
    if text.startswith(named) or any(mark in text for mark in (b"<mpd", b"<compositionplaylist", b"c=in ip")):
        raise DetectionError("COULD_NOT_OPEN_MEDIA", "The medium is no video but a list of other files.")


@functools.cache
def ffmpeg_passthrough(program: str) -> tuple[str, str]:
    """Returns the option for neither duplicating nor dropping frames. Its name changed in version 5.1."""
    told = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"version n?(\d+)\.(\d+)", told)
    old = version is not None and (int(version[1]), int(version[2])) < (5, 1)
    return ("-vsync", "passthrough") if old else ("-fps_mode", "passthrough")


def library(name: str) -> Any | None:
    """Returns the module, or None if it is not installed or TROUPE_WITHOUT (names separated by commas) lists it."""
    if name in os.environ.get("TROUPE_WITHOUT", "").split(","):
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def readers() -> str:
    """Returns a short text about the programs and libraries that read media here."""
    videos = (
        "videos by ffmpeg"
        if ffmpeg() is not None
        else "videos by OpenCV"
        if library("cv2") is not None
        else "video frames by the server"
    )
    pictures = " and ".join([*(["Pillow"] if library("PIL") is not None else []), "the standard library"])
    return f"{videos}, pictures by {pictures}"
