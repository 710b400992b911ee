import unittest

from troupe_sdk.media.frame_times import FrameTimes, RateCap
from troupe_sdk.media.sampling import sampling_of
from troupe_sdk.properties import Properties

#: Half a second with 25 frames per second, a gap, and three slides.
TABLE = {"frames": 16, "fps": 25, "constantRate": False, "runs": [[0, 40, 13], [5000, 400, 2], [12000, 0, 1]]}


class FrameTimesTest(unittest.TestCase):
    times = FrameTimes(TABLE)

    def test_times_and_frames_belong_together(self) -> None:
        self.assertEqual(16, len(self.times))
        self.assertEqual([0, 480, 5000, 5400, 12000, 12000], [self.times.of(frame) for frame in (0, 12, 13, 14, 15, 99)])
        self.assertEqual([0, 1, 12, 13, 15], [self.times.frame_at(ms) for ms in (-1, 79, 4999, 5000, 99999)])

    def test_fractions_of_milliseconds_are_rounded_down(self) -> None:
        times = FrameTimes({"runs": [[0, 1001 / 30, 4]]})
        self.assertEqual([0, 33, 66, 100], [times.of(frame) for frame in range(4)])


class SamplingTest(unittest.TestCase):
    def frames(self, cap: float, range_: tuple, context: int = 0, continues: bool = False, **properties: str) -> list:
        given = Properties({"FRAME_INTERVAL": "9", **properties})
        sampling = sampling_of(given, range_, context, 16, RateCap(cap, FrameTimes(TABLE)), continues)
        return list(sampling.without_key_frames().wanted())

    def test_a_cap_takes_the_first_frame_of_each_stretch_of_time(self) -> None:
        self.assertEqual([0, 13, 15], self.frames(1, (0, 15)))
        self.assertEqual([0, 5, 10, 13, 14, 15], self.frames(5, (0, 99)))

    def test_the_first_frame_of_a_range_is_looked_at_unless_it_continues_another_one(self) -> None:
        self.assertEqual([3, 13, 15], self.frames(1, (3, 15)))
        self.assertEqual([13, 15], self.frames(1, (3, 15), continues=True))
        self.assertEqual([], self.frames(1, (3, 9), continues=True))

    def test_warm_up_is_thinned_out_alike(self) -> None:
        self.assertEqual([13, 14, 15], self.frames(1, (14, 15), context=5))

    def test_i_frames_go_by_the_cap_where_they_cannot_be_told(self) -> None:
        self.assertEqual([0, 13, 15], self.frames(1, (0, 15), USE_KEY_FRAMES="TRUE"))

    def test_without_times_the_interval_counts(self) -> None:
        self.assertEqual([0, 9], list(sampling_of(Properties({"FRAME_INTERVAL": "9"}), (0, 15), 0, 16).wanted()))


if __name__ == "__main__":
    unittest.main()
