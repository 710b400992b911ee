import http.server
import json
import threading
import unittest

from troupe_sdk.connection.access import AccessError, ClientCredentials
from troupe_sdk.errors import AwayError


class Handler(http.server.BaseHTTPRequestHandler):
    #: Statuses of the next answers, by path.
    coming: dict = {}

    def do_GET(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        statuses = self.coming.get(self.path)
        issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.send_response(statuses.pop(0) if statuses else 200)
        self.end_headers()
        self.wfile.write(json.dumps({"token_endpoint": f"{issuer}/token", "access_token": "t"}).encode())

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Provider(unittest.TestCase):
    def setUp(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.access = ClientCredentials(f"http://127.0.0.1:{server.server_port}", "a client", "a secret")

    def test_what_passes_is_waited_for(self):
        for path, statuses in (
            ("/.well-known/openid-configuration", (408, 425, 429, 500, 503)),
            ("/token", (408, 425, 429, 500, 503)),
        ):
            for status in statuses:
                Handler.coming = {path: [status]}
                with self.assertRaises(AwayError, msg=f"{path} {status}"):
                    self.access.token()
        self.assertEqual(self.access.token(), "t")

    def test_an_issuer_that_was_never_found_is_wrong_and_one_that_has_given_a_token_is_away(self):
        Handler.coming = {"/.well-known/openid-configuration": [404, 200, 404]}
        with self.assertRaises(AccessError) as raised:
            self.access.token()
        self.assertIn("(status 404). Check the issuer.", str(raised.exception))
        self.access.refused(self.access.token())
        with self.assertRaises(AwayError):
            self.access.token()
        self.assertEqual(self.access.token(), "t")

    def test_what_is_final_is_said_without_the_secret(self):
        for path in ("/.well-known/openid-configuration", "/token"):
            Handler.coming = {path: [401]}
            with self.assertRaises(AccessError) as raised:
                self.access.token()
            self.assertNotIn("a secret", str(raised.exception))
