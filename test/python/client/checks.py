"""Tests of the Python client with a real server. Needs TROUPE_URL, TROUPE_TOKEN, and SAMPLES, a folder that the server reads."""

import ast
import contextlib
import os
import socket
import sys
import tempfile
import threading
import time
import types
import unittest
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import troupe_client
from troupe_client import (
    Client,
    IncompleteError,
    RefusedError,
    TroupeError,
    UnreachableError,
    files,
    findings,
    frame,
    rows,
    tracks,
)

SAMPLES = Path(os.environ.get("SAMPLES", "samples"))
FACES = "FACE DETECTION PIPELINE"


class Checks(unittest.TestCase):
    def setUp(self):
        self.client = Client()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def request(self, **more):
        uri = (SAMPLES / "face_move.mp4").resolve().as_uri()
        return {"media": [{"mediaUri": uri}], "pipelineName": FACES, **more}

    def ended_job(self):
        job_id = self.client.create_job(self.request())["jobId"]
        self.assertEqual(self.client.wait(job_id)["jobStatus"], "COMPLETE")
        return job_id

    def test_analyze(self):
        document = self.client.analyze(SAMPLES / "face_move.mp4", FACES)
        (found,) = tracks(document)
        self.assertEqual([found["type"], found["algorithm"]], ["FACE", "FACE"])
        detections = list(rows(document))
        self.assertEqual(len(detections), len(found["track"]["detections"]))
        self.assertEqual(set(detections[0]), set(findings.COLUMNS))
        self.assertEqual([row["frame"] for row in detections if row["isExemplar"]], [found["track"]["exemplar"]["offsetFrame"]])

    def test_uploads(self):
        file = self.folder / "a face & more.png"
        file.write_bytes((SAMPLES / "astronaut.png").read_bytes())
        document = self.client.analyze(file, FACES)
        self.assertEqual([found["type"] for found in tracks(document)], ["FACE"])
        upload = self.client.upload(file)
        self.assertEqual(upload["bytes"], file.stat().st_size)
        self.client.delete_upload(upload["id"])
        with self.assertRaises(RefusedError) as gone:
            self.client.delete_upload(upload["id"])
        self.assertEqual([gone.exception.status, gone.exception.code], [404, "upload-not-found"])

    def proxy(self, limit, comes_back):
        """Starts a proxy that breaks after ``limit`` bytes of requests: once, or permanently. Returns its address and state."""
        target = urllib.parse.urlsplit(self.client.transport.url)
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        seen = [0, False]

        def pump(source, sink, counts):
            try:
                while True:
                    piece = source.recv(65536)
                    seen[0] += len(piece) if counts else 0
                    breaks = counts and seen[0] > limit and not (seen[1] and comes_back)
                    if breaks and not comes_back:
                        listener.shutdown(socket.SHUT_RDWR)
                    seen[1] = seen[1] or breaks
                    if piece == b"" or breaks:
                        break
                    sink.sendall(piece)
            except OSError:
                pass
            for each in (source, sink):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    client = listener.accept()[0]
                    server = socket.create_connection((target.hostname, target.port))
                    for way in ((client, server, True), (server, client, False)):
                        threading.Thread(target=pump, args=way, daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}", seen

    def test_uploads_pieces(self):
        self.addCleanup(setattr, files, "PIECE_BYTES", files.PIECE_BYTES)
        files.PIECE_BYTES = 200_000
        url, seen = self.proxy(500_000, comes_back=True)
        stored = Client(url).upload(SAMPLES / "astronaut.png")
        self.assertTrue(seen[1], "the connection broke once")
        self.assertEqual(stored["bytes"], (SAMPLES / "astronaut.png").stat().st_size)
        document = self.client.analyze(stored["mediaUri"], FACES)
        self.assertEqual([found["type"] for found in tracks(document)], ["FACE"])

    def test_resumes_upload(self):
        self.addCleanup(setattr, files, "PIECE_BYTES", files.PIECE_BYTES)
        files.PIECE_BYTES = 200_000
        url, _ = self.proxy(500_000, comes_back=False)
        with self.assertRaises(IncompleteError) as broken:
            Client(url).upload(SAMPLES / "astronaut.png")
        with self.assertRaisesRegex(TroupeError, "another file"):
            self.client.upload(SAMPLES / "face_move.mp4", broken.exception.upload_id)
        stored = self.client.upload(SAMPLES / "astronaut.png", broken.exception.upload_id)
        self.assertEqual(stored["id"], broken.exception.upload_id)
        document = self.client.analyze(stored["mediaUri"], FACES)
        self.assertEqual([found["type"] for found in tracks(document)], ["FACE"])

    def test_events(self):
        job_id = self.client.create_job(self.request())["jobId"]
        states = list(self.client.job_events(job_id))
        self.assertTrue(states[-1]["terminal"])
        self.assertEqual(states[-1]["jobProgress"], 100)
        self.assertTrue(all(one["jobId"] == job_id for one in states))

    def test_creates_once(self):
        key = str(uuid.uuid4())
        first, second = (self.client.create_job(self.request(), key)["jobId"] for _ in range(2))
        self.assertEqual(first, second)
        self.client.wait(first)

    def test_wait_ends(self):
        job_id = self.client.create_job(self.request(jobProperties={"FRAME_INTERVAL": "1"}))["jobId"]
        with self.assertRaises(TimeoutError):
            self.client.wait(job_id, 0)
        self.client.wait(job_id)

    def test_cancel(self):
        job_id = self.ended_job()
        with self.assertRaises(RefusedError) as refused:
            self.client.cancel(job_id)
        self.assertIn("already", str(refused.exception))

    def test_no_document(self):
        job_id = self.client.create_job(self.request(buildOutput=False))["jobId"]
        self.client.wait(job_id)
        with self.assertRaisesRegex(TroupeError, "has no detection document"):
            self.client.document(job_id)

    def test_lists(self):
        label = f"python-{uuid.uuid4().hex}"
        created = [self.client.create_job(self.request(labels=[label]))["jobId"] for _ in range(3)]
        listed = [job["jobId"] for job in self.client.jobs({"label": [label], "limit": 2})]
        self.assertEqual(listed, created[::-1])
        for job_id in created:
            self.client.wait(job_id)

    def test_results(self):
        job_id = self.ended_job()
        table = self.folder / "faces.csv"
        self.assertEqual(self.client.export(job_id, "csv", table), table.stat().st_size)
        self.assertIn("FACE", table.read_text())
        media_id = self.client.document(job_id)["media"][0]["mediaId"]
        copy = self.folder / "copy.mp4"
        self.client.download(job_id, f"media/{media_id}", copy)
        self.assertEqual(copy.read_bytes(), (SAMPLES / "face_move.mp4").read_bytes())
        with self.assertRaises(RefusedError) as missing:
            self.client.download(job_id, f"media/{media_id}/markup", self.folder / "none.mp4")
        self.assertEqual(missing.exception.code, "job-file-not-found")
        self.assertEqual(sorted(os.listdir(self.folder)), ["copy.mp4", "faces.csv"])

    def test_search(self):
        job_id = self.ended_job()
        until = time.monotonic() + 30
        hits = []
        while hits == [] and time.monotonic() < until:
            hits = list(self.client.search({"type": "FACE", "job": job_id}))
            time.sleep(0.1)
        self.assertEqual([hit["jobId"] for hit in hits], [job_id])

    def test_keys(self):
        key = self.client.create_key("python client")
        script = Client(self.client.transport.url, key["key"])
        self.assertRegex(script.info()["version"], r"^\d+\.\d+\.\d+$")
        self.assertIn(key["id"], [one["id"] for one in self.client.keys()])
        self.client.revoke_key(key["id"])
        with self.assertRaises(RefusedError) as refused:
            script.info()
        self.assertEqual(refused.exception.status, 401)

    def test_renewed_token(self):
        tokens = iter(["expired", os.environ["TROUPE_TOKEN"]])
        current = [next(tokens)]

        def token():
            given = current[0]
            current[0] = next(tokens, given)
            return given

        self.assertEqual(Client(token=token).info()["app"], self.client.info()["app"])

    def test_refusals(self):
        with self.assertRaises(RefusedError) as refused:
            self.client.create_job({"media": [], "pipelineName": "NO SUCH PIPELINE"})
        self.assertEqual(refused.exception.status, 400)
        with self.assertRaisesRegex(RefusedError, "does not know the job host-999999"):
            self.client.job("host-999999")

    def test_streams(self):
        self.assertEqual([one for one in self.client.streams.list() if one < 0], [])
        with self.assertRaises(RefusedError):
            self.client.streams.create(
                {
                    "enableOutputToDisk": False,
                    "stream": {"streamUri": "rtsp://127.0.0.1:9/live", "segmentSize": 1},
                    "stallTimeout": -1,
                    "pipelineName": FACES,
                }
            )
        request = {
            "enableOutputToDisk": False,
            "stream": {"streamUri": "rtsp://127.0.0.1:9/live", "segmentSize": 100},
            "stallTimeout": -1,
            "pipelineName": FACES,
        }
        job_id = self.client.streams.create(request)["jobId"]
        events = self.client.streams.events(job_id)
        self.assertEqual(next(events)["type"], "job")
        self.assertIn(job_id, self.client.streams.list())
        self.client.streams.cancel(job_id)
        self.assertIsNotNone([event for event in events if event["type"] == "job"][-1]["endDate"])
        self.assertEqual(self.client.streams.wait(job_id)["jobStatus"], "CANCELLED")

    def test_unreachable(self):
        began = time.monotonic()
        with self.assertRaisesRegex(UnreachableError, "No server answers at http://127.0.0.1:9"):
            Client("http://127.0.0.1:9", "").info()
        self.assertGreater(time.monotonic() - began, 4)

    def test_resumes_download(self):
        content = bytes(range(256)) * 4096
        asked = []

        class Breaking(BaseHTTPRequestHandler):
            def do_HEAD(self):
                self.answer(200, len(content))

            def do_GET(self):
                start = self.headers.get("range")
                asked.append([start, self.headers.get("if-range")])
                if start is None:
                    self.answer(200, len(content))
                    self.wfile.write(content[:300_000])
                else:
                    at = int(start.split("=")[1].split("-")[0])
                    self.answer(206, len(content) - at)
                    self.wfile.write(content[at:])

            def answer(self, status, length):
                self.send_response(status)
                self.send_header("etag", '"e-1"')
                self.send_header("content-length", str(length))
                self.end_headers()

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Breaking)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        client = Client(f"http://127.0.0.1:{server.server_port}", "")
        to = self.folder / "video.mp4"
        with self.assertRaises(IncompleteError):
            client.download("host-1", "media/1", to)
        self.assertFalse(to.exists())
        self.assertEqual(client.download("host-1", "media/1", to), len(content))
        self.assertEqual(to.read_bytes(), content)
        self.assertEqual(asked, [[None, None], ["bytes=300000-", '"e-1"']])
        self.assertEqual(os.listdir(self.folder), ["video.mp4"])

    def test_frame(self):
        document = self.client.analyze(SAMPLES / "face_move.mp4", FACES)
        made = []
        pandas = types.ModuleType("pandas")
        pandas.DataFrame = lambda data, columns: made.append((data, columns)) or "frame"
        known = sys.modules.get("pandas")
        sys.modules["pandas"] = pandas
        try:
            self.assertEqual(frame(document), "frame")
            sys.modules["pandas"] = None
            with self.assertRaisesRegex(ImportError, "pandas is not installed"):
                frame(document)
        finally:
            sys.modules.pop("pandas")
            if known is not None:
                sys.modules["pandas"] = known
        self.assertEqual(made, [(list(rows(document)), list(findings.COLUMNS))])

    def test_grammar(self):
        for file in Path(troupe_client.__file__).parent.glob("*.py"):
            with self.subTest(file=file.name):
                ast.parse(file.read_text(), feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
