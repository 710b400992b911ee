import http.server
import io
import socket
import threading
import unittest

from troupe_sdk.connection.access import FixedToken
from troupe_sdk.connection.client import Client
from troupe_sdk.connection.connection import Connection
from troupe_sdk.errors import AwayError, ProtocolError


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    #: Statuses of the next answers. None breaks the connection.
    coming: list = []
    bodies: list = []

    def do_POST(self):
        self.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        status = self.coming.pop(0) if self.coming else 200
        if status is None:
            self.connection.close()
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


class Connections(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        Handler.coming, Handler.bodies = [], []
        self.client = Client(f"http://127.0.0.1:{self.server.server_port}", FixedToken("t"))
        self.addCleanup(self.client.connection.close)

    def test_what_passes_is_sent_again_with_the_whole_body(self):
        for first in (500, 502, 503, 504, None):
            with self.subTest(first):
                Handler.coming, Handler.bodies = [first], []
                self.client.result("lease", io.BytesIO(b"all of it"))
                self.assertEqual(Handler.bodies, [b"all of it"] * 2)

    def test_what_is_final_is_not(self):
        for status in (400, 403, 409, 422):
            Handler.coming, Handler.bodies = [status], []
            with self.assertRaises(ProtocolError) as raised:
                self.client.result("lease", b"x")
            self.assertEqual((raised.exception.status, len(Handler.bodies)), (status, 1))

    def test_nothing_is_waited_for_at_the_end(self):
        self.client.ending.set()
        Handler.coming = [503, 503]
        with self.assertRaises(ProtocolError):
            self.client.result("lease", b"x")

    def test_a_kept_connection_that_was_closed_is_made_anew(self):
        connection = Connection(f"http://127.0.0.1:{self.server.server_port}")
        connection.send("POST", "/", b"a").read()
        connection._local.connection.sock.shutdown(2)
        self.assertEqual(connection.send("POST", "/", b"b").status, 200)
        connection.close()

    def test_a_connection_that_does_not_come_about_is_given_up_after_the_silence_of_its_message(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url, said = f"https://127.0.0.1:{silent.getsockname()[1]}", []

            def send():
                try:
                    Connection(url).send("GET", "/", silence_s=0.05)
                except AwayError as error:
                    said.append(error)

            # The server does not answer the TLS handshake.
            thread = threading.Thread(target=send, daemon=True)
            thread.start()
            thread.join(30)
            self.assertEqual(len(said), 1)

    def test_a_server_that_is_not_there_is_away(self):
        with self.assertRaises(AwayError):
            Connection("http://127.0.0.1:1").send("GET", "/")
        with self.assertRaises(ValueError):
            Connection("ftp://example.org")
