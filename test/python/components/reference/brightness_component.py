"""A component for the reference system's Python API, as a user would write it: it does not depend on Troupe."""

import mpf_component_api as mpf

logger = mpf.configure_logging("brightness.log", __name__ == "__main__")


class BrightnessComponent:
    detection_type = "BRIGHTNESS"

    def __init__(self):
        logger.info("Creating instance of BrightnessComponent")

    @staticmethod
    def get_detections_from_image(image_job: mpf.ImageJob):
        logger.info("[%s] Received image job", image_job.job_name)
        fail_if_asked(image_job)
        fed = image_job.feed_forward_location
        if fed is not None:
            fed.detection_properties["SEEN AGAIN"] = "yes"
            yield fed
            return
        with open(image_job.data_uri, "rb") as file:
            size = len(file.read())
        yield mpf.ImageLocation(10, 20, 30, 40, 0.75, {"BYTES": str(size), "LIMIT": image_job.job_properties["LIMIT"]})
        yield mpf.ImageLocation(0, 0, 5, 5)

    def get_detections_from_video(self, video_job):
        width = int(video_job.media_properties["FRAME_WIDTH"])
        if video_job.feed_forward_track is not None:
            track = video_job.feed_forward_track
            track.detection_properties["FRAMES"] = str(len(track.frame_locations))
            return [track]
        interval = int(video_job.job_properties["FRAME_INTERVAL"])
        track = mpf.VideoTrack(video_job.start_frame, video_job.stop_frame, detection_properties={"WIDTH": str(width)})
        for frame in range(video_job.start_frame, video_job.stop_frame + 1, interval):
            track.frame_locations[frame] = mpf.ImageLocation(frame % 100, 0, 20, 20, frame / 1000, {"FRAME": str(frame)})
        track.confidence = max(location.confidence for location in track.frame_locations.values())
        return [track]

    def get_detections_from_all_video_tracks(self, job):
        properties = {"TRACKS": str(len(job.feed_forward_tracks))}
        location = mpf.ImageLocation(0, 0, 10, 10, -1, properties)
        return [mpf.VideoTrack(job.start_frame, job.stop_frame, -1, {job.start_frame: location}, properties)]

    @classmethod
    def get_detections_from_audio(cls, audio_job):
        return (mpf.AudioTrack(audio_job.start_time, audio_job.stop_time, 0.5, {"STOP": str(audio_job.stop_time)}),)

    def get_detections_from_generic(self, generic_job):
        with open(generic_job.data_uri, encoding="utf-8") as file:
            yield mpf.GenericTrack(-1, {"TEXT": file.read()})


def fail_if_asked(job):
    code = job.job_properties.get("FAIL", "")
    if code == "unknown":
        raise mpf.DetectionException("Something else.")
    if code != "":
        raise mpf.DetectionError[code].exception("As you like.")


EXPORT_MPF_COMPONENT = BrightnessComponent
