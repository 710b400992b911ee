import hashlib
import http.server
import os
import tempfile
import threading
import unittest
from pathlib import Path

from troupe_sdk import Cancelled, Context, DetectionError
from troupe_sdk.connection.access import FixedToken
from troupe_sdk.connection.client import Client
from troupe_sdk.files.media_cache import MediaCache
from troupe_sdk.files.media_files import MediaFiles

CONTENT = os.urandom(1_000_000)


class Handler(http.server.BaseHTTPRequestHandler):
    """Handler that sends a medium, and breaks off after the numbers of bytes in ``breaks``."""

    protocol_version = "HTTP/1.1"
    breaks: list = []
    asked: list = []
    status = 200
    #: True to send the length of an answer, False to send chunks.
    has_length = True
    #: True to support requests for a range.
    has_ranges = True

    def do_GET(self):
        wanted = self.headers.get("range")
        self.asked.append(wanted)
        at = int(wanted[6:-1]) if wanted else 0
        if wanted and self.headers.get("if-range") != '"a"':
            at = 0
        if not self.has_ranges:
            at = 0
        if self.status != 200:
            self.send_response(self.status)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        body = CONTENT[at:]
        self.send_response(206 if at else 200)
        self.send_header("etag", '"a"')
        if not self.has_length:
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
            return
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        most = self.breaks.pop(0) if self.breaks else len(body)
        self.wfile.write(body[:most])
        if most < len(body):
            self.close_connection = True

    def log_message(self, *_):
        pass


class Files(unittest.TestCase):
    def setUp(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        Handler.breaks, Handler.asked, Handler.status = [], [], 200
        Handler.has_length = Handler.has_ranges = True
        client = Client(f"http://127.0.0.1:{server.server_port}", FixedToken("t"))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.files = MediaFiles(client, MediaCache(Path(folder.name), 10**9))
        self.addCleanup(client.connection.close)

    def path(self, **medium):
        known = {"path": "/nowhere/a.bin", "url": "/worker/v1/leases/t/medium", "bytes": len(CONTENT), **medium}
        return self.files.path({"token": "t", "work": {"medium": known}}, Context("1"))

    def content(self, **medium):
        with open(self.path(**medium), "rb") as file:
            return file.read()

    def test_a_medium_that_breaks_off_is_asked_for_from_there_on(self):
        Handler.breaks = [300_000, 400_000]
        self.assertEqual(self.content(sha256=hashlib.sha256(CONTENT).hexdigest()), CONTENT)
        self.assertEqual(Handler.asked, [None, "bytes=300000-", "bytes=700000-"])

    def test_an_answer_that_does_not_say_its_length_is_read_to_its_end(self):
        Handler.has_length = False
        self.assertEqual(self.content(), CONTENT)
        self.assertEqual(self.content(sha256=hashlib.sha256(CONTENT).hexdigest()), CONTENT)

    def test_a_server_that_does_not_go_on_in_the_middle_sends_all_anew(self):
        Handler.has_ranges, Handler.breaks = False, [300_000, 400_000]
        self.assertEqual(self.content(), CONTENT)
        self.files.close()
        Handler.breaks = [300_000]
        self.assertEqual(self.content(sha256=hashlib.sha256(CONTENT).hexdigest()), CONTENT)

    def test_a_medium_that_comes_with_another_size_is_not_read(self):
        with self.assertRaises(DetectionError) as raised:
            self.path(bytes=len(CONTENT) + 1)
        self.assertEqual(raised.exception.code, "COULD_NOT_READ_MEDIA")

    def test_what_nobody_has_hashed_is_fetched_for_the_sub_job_alone(self):
        path = self.path()
        self.assertEqual((self.content(), len(Handler.asked)), (CONTENT, 1))
        self.files.close()
        self.assertFalse(os.path.exists(path))

    def test_a_medium_that_is_gone_fails_and_a_lease_that_is_lost_ends_the_work(self):
        for Handler.status in (410, 416):
            with self.assertRaises(DetectionError) as raised:
                self.path()
            self.assertEqual(raised.exception.code, "COULD_NOT_OPEN_MEDIA")
        Handler.status = 409
        with self.assertRaises(Cancelled):
            self.path()

    def test_a_file_of_this_host_is_read_where_it_lies_only_when_it_has_the_size(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"12345")
            file.flush()
            self.assertEqual(self.path(path=file.name, bytes=5), file.name)
            self.assertNotEqual(self.path(path=file.name), file.name)
