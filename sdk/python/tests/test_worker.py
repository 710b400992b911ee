import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from troupe_sdk import Context, Detector, Finding
from troupe_sdk.connection.access import AccessError, FixedToken
from troupe_sdk.connection.client import Client, instance_name
from troupe_sdk.detection.sub_job import SubJobs
from troupe_sdk.errors import LocalStorageError, ProtocolError
from troupe_sdk.files.media_cache import MediaCache
from troupe_sdk.files.media_files import MOST_NAME_BYTES, MediaFiles, name_of
from troupe_sdk.media.by_server import frame_from_server
from troupe_sdk.work.heartbeat import Heartbeat
from troupe_sdk.work.interruption import Stop
from troupe_sdk.work.worker import SMALL_BYTES, Worker

from .worker_server import WorkerServer, assignment


class Asking:
    """A component that sends a request to the server."""

    def __init__(self, ask):
        self.ask = ask

    def lines(self, work, context):
        self.ask(work["token"])
        yield "{}\n"

    def ticked(self):
        pass

    def close(self):
        pass


class Writing(Detector):
    """Detector that writes files with these names below the output folder."""

    def __init__(self, *names):
        self.names = names

    def generic(self, document, job):
        for name in self.names:
            path = os.path.join(document.output_folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            Path(path).write_text(name)
            yield Finding({"DERIVATIVE_MEDIA_TEMP_PATH": path}, type="MEDIA")


class Reading(Detector):
    """Detector that reports the selected pages if ``asks`` is true."""

    def __init__(self, asks):
        self.asks = asks

    def generic(self, document, job):
        yield Finding({"PAGES": document.pages if self.asks else "all"})


class Work(unittest.TestCase):
    def setUp(self):
        self.server = WorkerServer(self)
        self.said = []
        self.client = Client(self.server.url, FixedToken("t"), patience_s=0.3)
        self.addCleanup(self.client.connection.close)
        self.stop = Stop()

    def worker(self, component):
        self.client.instance = self.server.worker = instance_name()
        worker = Worker(self.client, ["A"], component, self.stop, self.said.append)
        worker.no_room_pause_s = 0.05
        return worker

    def work_until(self, component, condition):
        """Runs a worker in this thread, as a process does, until ``condition`` is true for the server."""
        problems = []

        def ending():
            try:
                self.server.until(condition)
            except AssertionError as error:
                problems.append(error)
            self.stop.set("the test is over")

        threading.Thread(target=ending, daemon=True).start()
        self.worker(component).run()
        self.server.worker = None
        if problems:
            raise problems[0]

    def answer_to(self, status, path="/thing"):
        self.server.work, self.server.answers = [assignment()], []
        self.server.always = {path: status}
        self.stop = Stop()
        self.work_until(
            Asking(lambda token: self.client.retried(lambda: self.client.call("GET", f"/worker/v1/leases/{token}{path}").read())),
            lambda: self.server.answers or self.server.released,
        )
        return self.server.answers[0] if self.server.answers else None

    def test_what_the_server_refuses_for_good_is_a_failure_with_its_sentence(self):
        for status in (400, 404, 413, 422):
            failure = self.answer_to(status)["failure"]
            self.assertEqual(failure["code"], "DETECTION_FAILED")
            self.assertIn(f"({status}): It is refused.", failure["message"])
            self.assertNotIn("t1", failure["message"])

    def test_what_passes_is_given_back(self):
        for status in (401, 409, 502, 503, 504):
            self.assertEqual(self.answer_to(status), {"token": "t1"})

    def test_work_for_which_the_provider_gives_no_token_is_given_back(self):
        def refused(_):
            raise AccessError("no token")

        self.server.work = [assignment()]
        self.work_until(Asking(refused), lambda: self.server.answers)
        self.assertEqual(self.server.answers, [{"token": "t1"}])

    def test_answers_that_cannot_be_handed_over_for_long_are_kept(self):
        self.server.work, self.server.refusals = [assignment()], {"/answers": [503, 503, 503]}
        self.work_until(Asking(lambda _: None), lambda: self.server.answers or self.server.released)
        self.assertEqual((self.server.answers[0]["lines"], self.server.released), ("{}\n", []))

    def test_the_end_comes_though_a_provider_that_refuses_for_good_takes_no_answers(self):
        self.server.work, self.server.always = [assignment()], {"/answers": 401}
        with self.assertRaises(ProtocolError):
            self.worker(Asking(lambda _: None)).run()

    def test_the_cpu_time_of_the_process_and_of_its_programs_comes_with_each_answer(self):
        busy_s = 0.2

        def burn(_):
            start = time.process_time()
            while time.process_time() - start < busy_s:
                pass
            program = f"import time\nwhile time.process_time() < {busy_s}: pass"
            subprocess.run([sys.executable, "-c", program], check=True)

        def fail(token):
            burn(token)
            raise ValueError("on purpose")

        for ask in (burn, fail):
            self.server.work, self.server.answers, self.stop = [assignment()], [], Stop()
            self.work_until(Asking(ask), lambda: self.server.answers)
            self.assertGreaterEqual(self.server.answers[0]["cpuMs"], 2000 * busy_s)

    def test_the_cpu_time_of_a_large_answer_comes_in_a_header(self):
        class Large(Asking):
            def lines(self, work, context):
                yield "x" * (SMALL_BYTES + 1)

        self.server.work = [assignment()]
        self.work_until(Large(None), lambda: self.server.cpu_ms)
        self.assertGreaterEqual(float(self.server.cpu_ms[0]), 0)

    def test_the_trace_of_the_job_is_told_to_the_detector(self):
        traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        seen = []

        class Tracing(Detector):
            def generic(self, document, job):
                seen.append(job.traceparent)
                yield Finding({})

        self.server.work = [{**assignment(1), "traceparent": traceparent}, assignment(2)]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        medium = Path(folder.name) / "medium.txt"
        medium.write_text("text")
        for one in self.server.work:
            one["work"]["medium"]["path"] = str(medium)
        files = MediaFiles(self.client, MediaCache(Path(folder.name) / "cache", 10**9))
        self.work_until(SubJobs(Tracing(), self.client, files), lambda: len(self.server.answers) == 2)
        self.assertEqual(seen, [traceparent, None])

    def test_what_there_is_no_room_for_is_released_after_a_pause(self):
        self.assertIsNone(self.answer_to(507))
        self.assertEqual(self.server.released, ["t1"])

    def test_a_frame_of_a_medium_that_is_gone_could_not_be_opened(self):
        self.server.work, self.server.always = [assignment()], {"/frames/0": 410}
        self.work_until(Asking(lambda token: frame_from_server(self.client, token, 0)), lambda: self.server.answers)
        self.assertEqual(self.server.answers[0]["failure"]["code"], "COULD_NOT_OPEN_MEDIA")

    def test_work_whose_medium_this_host_cannot_keep_is_released_after_a_pause(self):
        def full(_):
            raise LocalStorageError("/tmp: No space left on device")

        self.server.work = [assignment()]
        self.work_until(Asking(full), lambda: self.server.answers or self.server.released)
        self.assertEqual((self.server.answers, self.server.released), ([], ["t1"]))
        self.assertIn("No space left", self.said[0])

    def test_heartbeats_go_on_whatever_goes_wrong_beside_them(self):
        def ticked():
            raise RuntimeError("the ticking of a detector")

        heartbeat = Heartbeat(self.client, ticked, self.said.append)
        self.addCleanup(heartbeat.close)
        heartbeat.begin("t1", 20, Context("1"), lambda _: None)
        self.server.until(lambda: self.server.beats >= 3)
        self.assertIn("the ticking of a detector", self.said[0])

    def documents(self, detector, **work):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        document = Path(folder.name) / "document"
        document.write_text("a document")
        one = assignment(**work)
        one["work"]["medium"].update(path=str(document), bytes=10)
        self.server.work = [one]
        files = MediaFiles(self.client, MediaCache(Path(folder.name) / "cache", 10**9))
        self.work_until(SubJobs(detector, self.client, files), lambda: self.server.answers)
        return self.server.answers[0]

    def test_files_that_the_server_does_not_take_fail_the_sub_job(self):
        self.server.always = {"a.png": 413}
        failure = self.documents(Writing("a.png"), outputFolder="/proc/not/here")["failure"]
        self.assertEqual(failure["code"], "FILE_WRITE_ERROR")
        self.assertIn("It is refused.", failure["message"])

    def paths_in(self, answer):
        tracks = [json.loads(line) for line in answer["lines"].splitlines()]
        for track in tracks:
            self.assertEqual(track["detections"][0]["properties"], track["properties"])
        return [track["properties"]["DERIVATIVE_MEDIA_TEMP_PATH"] for track in tracks]

    def test_files_of_like_names_stay_two_and_one_that_is_named_twice_is_sent_once(self):
        names = ["a/b.png", "a_b.png", ".x", "x", "1" + "y" * 160, "2" + "y" * 160, "x"]
        paths = self.paths_in(self.documents(Writing(*names), outputFolder="/proc/not/here"))
        self.assertEqual(len(set(paths)), len(names) - 1)
        self.assertEqual(paths[3], paths[-1])

    def test_files_are_sent_by_a_host_that_has_the_medium_but_not_the_folder_of_the_server(self):
        with tempfile.TemporaryDirectory() as shared:
            elsewhere = os.path.join(shared, "not", "here")
            self.assertEqual(self.paths_in(self.documents(Writing("a.png"), outputFolder=elsewhere)), ["/there/0-a.png"])
            self.assertFalse(os.path.exists(os.path.dirname(elsewhere)))
            self.stop = Stop()
            self.server.answers = []
            here = self.paths_in(self.documents(Writing("a.png"), outputFolder=shared))
            self.assertEqual(here, [os.path.join(shared, "a.png")])

    def test_files_are_made_in_a_folder_of_their_own_beside_the_server(self):
        with tempfile.TemporaryDirectory() as data:
            made = os.path.join(data, "made", "for", "this")
            here = self.paths_in(self.documents(Writing("a.png"), outputFolder=made, besideServer=True))
            self.assertEqual(here, [os.path.join(made, "a.png")])

    def test_pages_are_told_and_a_detector_that_does_not_ask_for_them_is_warned_of(self):
        for asks, pages, found in (
            (True, [{"start": 2, "stop": 3}, {"start": 7, "stop": 7}], "[(2, 3), (7, 7)]"),
            (False, [{"start": 2, "stop": 3}], "all"),
            (False, None, "all"),
        ):
            with self.subTest(asks=asks, pages=pages), tempfile.TemporaryDirectory() as folder:
                self.stop, self.server.answers = Stop(), []
                more = {} if pages is None else {"pages": pages}
                answer = self.documents(Reading(asks), outputFolder=folder, **more)
                track, *warnings = [json.loads(line) for line in answer["lines"].splitlines()]
                self.assertEqual(track["properties"], {"PAGES": found})
                self.assertEqual(len(warnings), 0 if asks or pages is None else 1)


class Names(unittest.TestCase):
    def test_are_such_as_the_server_takes(self):
        self.assertEqual(name_of("/made/a\x85b\x7fc\n.png", 3), "3-a_b_c_.png")
        self.assertEqual(name_of("/made/.hidden", 0), "0-.hidden")
        long = name_of("/made/" + "\u00e9" * 120 + ".png", 12)
        self.assertTrue(len(long.encode()) <= MOST_NAME_BYTES and long.startswith("12-") and long.endswith("\u00e9.png"))
