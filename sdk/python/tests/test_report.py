import unittest

from troupe_sdk import Detection, DetectionError, Finding, Properties, Sound, Track
from troupe_sdk.detection.report import finding_track, picture_track, sound_track
from troupe_sdk.picture.geometry import Size
from troupe_sdk.picture.orientation import picture_view

VIEW = picture_view(Properties({}), {}, Size(640, 480), with_region=False)


class Report(unittest.TestCase):
    def track(self, *detections, **more):
        return picture_track(Track(list(detections), **more), lambda _: VIEW, (10, 20))

    def test_a_track_has_what_its_detections_say_unless_it_says_something_else(self):
        told = self.track(Detection(11, 1.4, 2, 3, 4, 0.25, {"N": 3, "B": True, "X": None}), Detection(13, 1, 2, 3, 4, 0.75))
        self.assertEqual((told["startFrame"], told["stopFrame"], told["confidence"]), (11, 13, 0.75))
        self.assertEqual(told["detections"][0]["properties"], {"N": "3", "B": "TRUE"})
        self.assertEqual(told["detections"][0]["x"], 1)
        self.assertEqual(self.track(Detection(11, 0, 0, 1, 1), stop_frame=20)["stopFrame"], 20)

    def test_what_the_server_would_refuse_is_said_at_once(self):
        box = Detection(11, 0, 0, 1, 1)
        for words, detections, more in (
            ("no detections", [], {}),
            ("is in frame 21", [Detection(21, 0, 0, 1, 1)], {}),
            ("must ascend", [box, box], {}),
            ("no finite number", [Detection(11, float("nan"), 0, 1, 1)], {}),
            ("no finite number", [Detection(11, 0, 0, 1, 1, "high")], {}),
            ("must hold its detections", [box], {"stop_frame": 30}),
            ("where Detection is expected", [(11, 0, 0, 1, 1)], {}),
        ):
            with self.subTest(words):
                with self.assertRaises(DetectionError) as raised:
                    self.track(*detections, **more)
                self.assertIn(words, raised.exception.message)
        with self.assertRaises(DetectionError):
            finding_track(Sound(0, 1))

    def test_sound_and_findings(self):
        told = sound_track(Sound(100, 900.5, 0.5), lambda ms: int(ms / 40), 800)
        self.assertEqual((told["startTime"], told["stopTime"], told["startFrame"], told["stopFrame"]), (100, 800, 2, 20))
        self.assertEqual(finding_track(Finding({"TEXT": "a"}, type="TEXT"))["type"], "TEXT")
        with self.assertRaises(DetectionError):
            sound_track(Sound(5, 4), lambda _: 0, 100)


class PropertiesAreRead(unittest.TestCase):
    def test_by_their_types_or_the_sub_job_fails_with_a_code(self):
        properties = Properties({"A": "1.5", "B": "true", "C": "", "D": "7"})
        self.assertEqual((properties.number("A"), properties.boolean("B"), properties.integer("D")), (1.5, True, 7))
        self.assertEqual((properties.number("C", 2), properties.text("E", "x")), (2.0, "x"))
        for code, read in (
            ("MISSING_PROPERTY", lambda: properties.text("C")),
            ("MISSING_PROPERTY", lambda: properties.number("E")),
            ("INVALID_PROPERTY", lambda: properties.integer("A")),
            ("INVALID_PROPERTY", lambda: properties.boolean("A")),
            ("INVALID_PROPERTY", lambda: properties.number("B")),
        ):
            with self.assertRaises(DetectionError) as raised:
                read()
            self.assertEqual(raised.exception.code, code)
            if code == "MISSING_PROPERTY":
                self.assertIn("describe it with a defaultValue in descriptor.json", str(raised.exception))
