import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import skipUnless

from troupe_sdk import DetectionError, Medium
from troupe_sdk.media import images, sound, video_by_ffmpeg
from troupe_sdk.media.programs import FORMATS, ffmpeg, library, picture_input_of, refuse_playlist
from troupe_sdk.media.sampling import single_frames
from troupe_sdk.media.video_by_opencv import OpenCvReader
from troupe_sdk.properties import Properties

OF_SERVER = Path(__file__).parents[3] / "media" / "container.ts"
PLAYLISTS = (
    b"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nother.mp4\n#EXT-X-ENDLIST\n",
    b"ffconcat version 1.0\nfile other.mp4\n",
    b"<?xml version='1.0'?>\n<MPD profiles='urn:mpeg:dash:profile:isoff-on-demand:2011'/>",
    b"v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\n",
    b"ID3\x04\0\0\0\0\0\0#EXTM3U\n",
)
MEDIUM = Medium(1, "VIDEO", "video/mp4", 10, 25.0, Properties({}), True)


class Playlists(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "medium")

    def test_are_refused_where_opencv_would_read_them(self):
        for content in PLAYLISTS:
            Path(self.path).write_bytes(content)
            with self.assertRaises(DetectionError) as raised:
                OpenCvReader(None, self.path, single_frames([0]), MEDIUM)
            self.assertEqual(raised.exception.code, "COULD_NOT_OPEN_MEDIA")
        for content in (b"\0\0\0\x20ftypisom", b"\x1a\x45\xdf\xa3\x01\0\0\0<MPD", b"RIFF1234AVI "):
            Path(self.path).write_bytes(content)
            refuse_playlist(self.path)

    def test_and_other_files_are_not_opened_by_ffmpeg(self):
        for command in (
            video_by_ffmpeg._command("/bin/true", "/a", single_frames([0]), MEDIUM),
            ["ffmpeg", *picture_input_of("/a", b"\xff\xd8\xff\xe0")],
            ["ffmpeg", *picture_input_of("/a", b"#EXTM3U")],
        ):
            allowed = command[: command.index("-i")]
            self.assertEqual(allowed[allowed.index("-protocol_whitelist") + 1], "file")
            formats = allowed[allowed.index("-format_whitelist") + 1].split(",")
            self.assertFalse({"hls", "concat", "dash", "sdp", "image2"} & set(formats))

    @skipUnless(ffmpeg(), "there is no ffmpeg")
    def test_a_picture_behind_a_playlist_is_not_shown(self):
        other = Path(self.path).with_name("other.ppm")
        other.write_bytes(b"P6 2 2 255\n" + bytes(12))
        self.assertIsNotNone(images._by_ffmpeg(str(other), b"P6"))
        Path(self.path).write_bytes(b"ffconcat version 1.0\nfile other.ppm\n")
        self.assertIsNone(images._by_ffmpeg(self.path, b"ffconcat version"))
        with self.assertRaises(DetectionError):
            video_by_ffmpeg.FfmpegReader(str(ffmpeg()), self.path, single_frames([0]), MEDIUM)
        with self.assertRaises(DetectionError):
            list(sound.sound_chunks(self.path, 0, None))

    @skipUnless(library("cv2"), "there is no OpenCV")
    def test_options_are_taken_by_opencv(self):
        import cv2

        made = self.path + ".avi"
        writer = cv2.VideoWriter(made, cv2.VideoWriter_fourcc(*"MJPG"), 25, (64, 48))
        import numpy

        for _ in range(5):
            writer.write(numpy.zeros((48, 64, 3), numpy.uint8))
        writer.release()
        reader = OpenCvReader(cv2, made, single_frames([0, 2]), MEDIUM)
        self.assertEqual([frame.index for frame in reader.frames()], [0, 2])
        reader.close()

    @skipUnless(OF_SERVER.is_file(), "the sources of the server are not here")
    def test_formats_are_those_of_the_server(self):
        listed = re.search(r"const FORMATS = \(([^)]*)\)", OF_SERVER.read_text())
        self.assertEqual("".join(re.findall(r"'([^']*)'", listed[1])), FORMATS)
