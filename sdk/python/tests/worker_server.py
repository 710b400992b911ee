"""A server that gives out the work of a test, and keeps the answers."""

import http.server
import json
import threading


def assignment(number=1, **work):
    medium = {"mediaId": 1, "mediaType": "UNKNOWN", "mimeType": "text/plain", "path": "/nowhere/a", "length": -1, "fps": 0}
    known = {"medium": {**medium, "metadata": {}, "inspected": True}, "properties": {}, "range": {"start": 0, "stop": -1}, **work}
    return {"token": f"t{number}", "id": f"job.{number}", "kind": "DETECT", "algorithm": "A", "heartbeatMs": 20, "work": known}


class WorkerServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, test):
        super().__init__(("127.0.0.1", 0), Handler)
        self.work = []
        #: Name of the worker that gets the work. A claim of an earlier worker may arrive late.
        self.worker = None
        #: Received answers, tokens of released sub-jobs, and the number of heartbeats.
        self.answers, self.released, self.beats = [], [], 0
        #: CPU times in the headers of results.
        self.cpu_ms = []
        #: Statuses by the end of a path: of the next answers (``refusals``), and of all answers after them (``always``).
        self.refusals, self.always = {}, {}
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        test.addCleanup(self.server_close)
        test.addCleanup(self.shutdown)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def refusal(self, path):
        for ending, statuses in self.refusals.items():
            if path.endswith(ending) and statuses:
                return statuses.pop(0)
        return next((status for ending, status in self.always.items() if path.endswith(ending)), None)

    def until(self, condition, seconds=20):
        with self.changed:
            if not self.changed.wait_for(condition, seconds):
                raise AssertionError(f"answers {self.answers}, released {self.released}, {self.beats} heartbeats")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        server, path = self.server, self.path.split("?")[0]
        with server.changed:
            status = server.refusal(path)
            answer = {"message": "It is refused."} if status else self.taken(path, body)
            server.changed.notify_all()
        data = json.dumps(answer).encode()
        self.send_response(status or 200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_PUT = do_GET = do_POST

    def taken(self, path, body):
        server = self.server
        if path.endswith("/claim"):
            if self.headers["troupe-instance"] != server.worker:
                return {"work": []}
            work, server.work = server.work, []
            return {"work": work}
        if path.endswith("/answers"):
            answers = json.loads(body)["answers"]
            server.answers += answers
            return {"refused": [None] * len(answers), "work": []}
        if path.endswith("/release"):
            server.released.append(path.split("/")[-2])
        if path.endswith("/result"):
            server.cpu_ms.append(self.headers.get("troupe-cpu-ms"))
        if path.endswith("/heartbeat"):
            server.beats += 1
            return {"go": "on"}
        return {"path": f"/there/{path.split('/')[-1]}"}

    def log_message(self, *_):
        pass
