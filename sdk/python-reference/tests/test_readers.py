import os
import tempfile
import unittest

import mpf_component_api as mpf

try:
    import mpf_component_util as util
    import numpy
except ImportError:
    numpy = None

from troupe_sdk.media.programs import ffmpeg, library

VIDEO = os.path.join(os.path.dirname(__file__), "..", "..", "..", "samples", "scenes_pd.mp4")


@unittest.skipIf(numpy is None, "numpy is not installed")
class Images(unittest.TestCase):
    def setUp(self):
        with tempfile.NamedTemporaryFile(suffix=".ppm", delete=False) as file:
            file.write(b"P6 4 2 255\n" + bytes(range(24)))
        self.path = file.name
        self.addCleanup(os.unlink, file.name)

    def test_a_picture_is_turned_and_what_is_found_in_it_put_back(self):
        reader = util.ImageReader(mpf.ImageJob("a job", self.path, {"ROTATION": "90"}, {}))
        image = reader.get_image()
        self.assertEqual(image.shape, (4, 2, 3))
        # The bottom left pixel is now at the top left, in the order blue, green, red.
        self.assertEqual(list(image[0, 0]), [14, 13, 12])
        location = mpf.ImageLocation(0, 0, 2, 1)
        reader.reverse_transform(location)
        self.assertEqual((location.x_left_upper, location.y_left_upper, location.width, location.height), (0, 2, 2, 1))
        self.assertEqual(location.detection_properties, {"ROTATION": "90"})

    def test_the_mixin_shows_the_region_that_is_fed(self):
        class Component(util.ImageReaderMixin):
            def get_detections_from_image_reader(self, job, reader):
                height, width, _ = reader.get_image().shape
                yield mpf.ImageLocation(0, 0, width, height)

        fed = mpf.ImageLocation(1, 0, 2, 1)
        job = mpf.ImageJob("a job", self.path, {"FEED_FORWARD_TYPE": "REGION"}, {}, fed)
        self.assertEqual(list(Component().get_detections_from_image(job)), [fed])


@unittest.skipIf(numpy is None or (ffmpeg() is None and library("cv2") is None), "nothing here decodes videos")
class Videos(unittest.TestCase):
    def job(self, properties=None, fed=None):
        return mpf.VideoJob("a job", VIDEO, 100, 149, properties or {}, {"FRAME_COUNT": "250", "FPS": "25"}, fed)

    def test_frames_are_counted_within_the_segment_and_put_back(self):
        capture = util.VideoCapture(self.job({"FRAME_INTERVAL": "10"}))
        means = [round(float(frame.mean())) for frame in capture]
        self.assertEqual((capture.frame_count, capture.frame_size, len(means)), (5, (640, 360), 5))
        # The scene changes between frames 119 and 120.
        self.assertEqual([mean == means[0] for mean in means], [True, True, False, False, False])
        track = mpf.VideoTrack(1, 3, frame_locations={1: mpf.ImageLocation(0, 0, 2, 2), 3: mpf.ImageLocation(1, 1, 2, 2)})
        capture.reverse_transform(track)
        self.assertEqual((track.start_frame, track.stop_frame, list(track.frame_locations)), (110, 130, [110, 130]))
        self.assertTrue(capture.set_frame_position(2))
        self.assertEqual(round(float(capture.read()[1].mean())), means[2])
        self.assertEqual(len(capture.get_initialization_frames_if_available(3)), 3)
        capture.release()

    def test_the_frames_and_regions_of_a_fed_track_are_shown(self):
        locations = {frame: mpf.ImageLocation(10, 20, 30, 40) for frame in (105, 125)}
        capture = util.VideoCapture(
            self.job({"FEED_FORWARD_TYPE": "REGION"}, mpf.VideoTrack(105, 125, frame_locations=locations))
        )
        self.assertEqual([frame.shape for frame in capture], [(40, 30, 3)] * 2)
        capture.release()


class Api(unittest.TestCase):
    def test_errors_have_codes_under_old_and_new_names(self):
        error = mpf.DetectionError.IMAGE_READ_ERROR.exception("no")
        self.assertIs(error.error_code, mpf.DetectionError.COULD_NOT_READ_MEDIA)
        self.assertEqual(mpf.DetectionException("no").error_code.name, "OTHER_DETECTION_ERROR_TYPE")
