"""A detector for tests: reports its input, and fails in the way that the property TROUBLE names."""

import os
import time
import zlib

from troupe_sdk import Detection, DetectionError, Detector, Finding, Sound, Track


class Probe(Detector):
    def video(self, video, job):
        trouble(job)
        for frame in video:
            if not frame.warm_up:
                yield Track([seen(frame)])

    def image(self, frame, job):
        trouble(job)
        yield from garbage(job.properties.text("TROUBLE", "none"))
        yield Track([seen(frame)], type="FED" if job.fed else None, properties={"FED": job.fed and job.fed.properties.get("CRC")})

    def audio(self, audio, job):
        crc = samples = 0
        for chunk in audio:
            crc, samples = zlib.crc32(chunk.tobytes(), crc), samples + len(chunk)
        yield Sound(audio.start_time, audio.start_time + samples / 16, properties={"CRC": crc})

    def generic(self, document, job):
        with open(document.path, "rb") as file:
            text = file.read()
        path = os.path.join(document.output_folder, "copy.txt")
        with open(path, "wb") as file:
            file.write(b"copied: " + text)
        yield Finding({"DERIVATIVE_MEDIA_TEMP_PATH": path}, type="MEDIA")


def garbage(kind):
    if kind == "bad box":
        yield Track([Detection(0, float("nan"), 0, 1, 1)])
    if kind == "bad frame":
        yield Track([Detection(7, 0, 0, 1, 1)])
    if kind == "bad kind":
        yield {"x": 1}


def seen(frame):
    said = {"CRC": zlib.crc32(frame.data), "SIZE": f"{frame.width}x{frame.height}", "MEAN": round(sum(frame.data) / len(frame.data), 2)}
    said["TIME"] = frame.time
    return Detection(frame.index, 0, 0, frame.width, frame.height, 0.5, said)


def trouble(job):
    kind = job.properties.text("TROUBLE", "none")
    once = job.properties.text("TROUBLE_FILE", "")
    if once != "" and not first_time(once):
        return
    if kind == "exit":
        os._exit(3)
    if kind == "code":
        raise DetectionError("GPU_ERROR", "The card is on fire.")
    if kind == "exception":
        raise LookupError("no such model")
    if kind == "swallow":
        try:
            time.sleep(1000)
        except Exception:
            pass
    if kind == "loop":
        while True:
            pass
    if kind == "sleep":
        time.sleep(1000)
    if kind == "busy":
        # With pauses, so that it uses only part of a CPU core. "loop" uses all of it.
        end = time.monotonic() + job.properties.number("SECONDS")
        done = 0
        while time.monotonic() < end:
            done += sum(range(100_000))
            job.progress(done)
            time.sleep(0.02)
    if kind == "wait":
        # Until the test creates this file.
        path = job.properties.text("UNTIL")
        done = 0
        while not os.path.exists(path):
            time.sleep(0.02)
            done += 1
            job.progress(done)


def first_time(path):
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False
