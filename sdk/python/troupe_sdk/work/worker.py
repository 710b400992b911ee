"""Claims and processes sub-jobs until this process must end: one at a time, but several small ones in each message."""

from __future__ import annotations

import resource
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, Any

from ..connection.access import AccessError
from ..connection.client import Client, is_passing, pauses
from ..context import Context
from ..errors import AwayError, Cancelled, ProtocolError, failure_of, is_unforeseen, traceback_of
from .component import Assignment, Component
from .giving_back import NO_ROOM_PAUSE_S, has_no_room, is_given_back, is_worth_keeping
from .heartbeat import Heartbeat
from .interruption import Interrupter, Stop

POLL_MS = 25_000
#: Most sub-jobs that are claimed or answered in one message.
MOST_IN_TURN = 64
#: Results up to this many bytes are sent together with others.
SMALL_BYTES = 32 * 1024
#: Number of bytes of waiting answers from which they are sent.
MOST_BYTES = 512 * 1024
#: Results with more bytes are stored in a file until the server has accepted them.
IN_MEMORY_BYTES = 8 * 1024 * 1024
#: Seconds of work that are claimed at once, estimated from earlier sub-jobs.
AHEAD_S = 0.4
#: Seconds for which answers are collected before they are sent together.
TOGETHER_S = AHEAD_S / 2
#: Seconds of a sub-job after which waiting sub-jobs are given back.
HELD_UP_S = 1.0
#: Weight of the latest sub-job in the expected duration of the next one.
NEWS = 0.3


class Worker:
    def __init__(
        self, client: Client, algorithms: Sequence[str], component: Component, stop: Stop, log: Callable[[str], None]
    ) -> None:
        self._client = client
        self._algorithms = algorithms
        self._component = component
        self._stop = stop
        self._log = log
        self.interrupter = Interrupter()
        self.no_room_pause_s = NO_ROOM_PAUSE_S
        self._heartbeat = Heartbeat(client, self._ticked, log)
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        #: Sub-jobs that are claimed and not begun.
        self._todo: list[Assignment] = []
        self._answers: list[dict[str, Any]] = []
        self._bytes = 0
        self._sent_at = time.monotonic()
        self._expected_s = HELD_UP_S
        self._working_since: float | None = None
        #: CPU seconds of this process at the start of the current sub-job.
        self._cpu_s = 0.0
        self._letting_go: threading.Thread | None = None

    def run(self) -> None:
        """Works until the process must end, and then gives its work back.

        Raises ProtocolError or AccessError if the server or the provider denies access.
        """
        waits = pauses()
        try:
            while not self._stop.is_set:
                try:
                    if not self._has_work:
                        self._fetch()
                    waits = pauses()
                    self._work_off()
                except (AwayError, ProtocolError) as error:
                    if self._stop.is_set:
                        break
                    if not is_passing(error):
                        raise
                    self._log(f"no work: {error}")
                    self._stop.wait(next(waits))
        finally:
            self._let_go()
            self._heartbeat.close()

    @property
    def _has_work(self) -> bool:
        """True if there is work or an unsent answer, for example after the server was unavailable."""
        with self._lock:
            return len(self._todo) + len(self._answers) > 0

    def _fetch(self) -> None:
        """Claims work and waits for it. Called when there is no other work."""
        self._take(self._client.claim(self._algorithms, self._at_once, POLL_MS, self._stop.wake))

    def _work_off(self) -> None:
        """Processes the claimed work, and the work in each reply, until there is none left and all answers are sent."""
        while True:
            with self._lock:
                following = self._todo.pop(0) if self._todo else None
                waiting = len(self._answers)
            if following is not None:
                self._work(following)
                if following.get("last") is True or self._is_due:
                    self._exchange()
            elif waiting > 0:
                self._exchange()
            else:
                self._heartbeat.end()
                return

    def _take(self, work: Sequence[Assignment]) -> None:
        """Queues claimed work. Sub-jobs that are the last ones of their jobs come first."""
        with self._lock:
            self._todo[:0] = [one for one in work if one.get("last") is True]
            self._todo.extend(one for one in work if one.get("last") is not True)

    @property
    def _at_once(self) -> int:
        return min(MOST_IN_TURN, max(1, int(AHEAD_S / max(0.001, self._expected_s))))

    @property
    def _is_due(self) -> bool:
        late = time.monotonic() - self._sent_at >= TOGETHER_S
        return late or len(self._answers) >= MOST_IN_TURN // 2 or self._bytes >= MOST_BYTES

    def _work(self, assignment: Assignment) -> None:
        context = Context(str(assignment["id"]), assignment.get("traceparent"))
        token = str(assignment["token"])
        started = time.monotonic()
        self._cpu_s = _cpu_s()
        self._heartbeat.begin(token, assignment["heartbeatMs"], context, lambda why: self.interrupter.interrupt(why, context))
        self._working_since = started
        try:
            self._do(assignment, context, started)
        finally:
            self._working_since = None
            self._expected_s += NEWS * (time.monotonic() - started - self._expected_s)

    def _do(self, assignment: Assignment, context: Context, started: float) -> None:
        token = str(assignment["token"])
        if self._stop.is_set:
            context.cancel(self._stop.why)
        with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as body:
            try:
                with self.interrupter.watching(context):
                    for line in self._component.lines(assignment, context):
                        body.write(line.encode())
                        context.check()
                context.check()
                self._answer(token, body, started)
            except Cancelled as why:
                self._log(f"{context.id}: given back, {why}")
                self._keep({"token": token})
            except (Exception, SystemExit) as error:
                self._failed(token, context, error, started)

    def _failed(self, token: str, context: Context, error: BaseException, started: float) -> None:
        """Gives the sub-job back if it can succeed later or elsewhere. Otherwise reports a failure, because it would fail again."""
        if has_no_room(error):
            self._log(f"{context.id}: {error}")
            self._release_later(token, context)
        elif is_given_back(error, self._stop.is_set):
            self._log(f"{context.id}: {error}")
            self._keep({"token": token})
        else:
            if is_unforeseen(error):
                self._log(f"{context.id}: {traceback_of(error)}")
            self._keep({"token": token, "failure": failure_of(error), "ms": _ms_since(started), "cpuMs": self._cpu_ms()})

    def _release_later(self, token: str, context: Context) -> None:
        """Waits, and then releases the sub-job. The server counts releases, so the sub-job fails after too many of them."""
        try:
            with self.interrupter.watching(context):
                until = time.monotonic() + self.no_room_pause_s
                while time.monotonic() < until and not self._stop.is_set:
                    # Waiting counts as progress. Otherwise the server would take the sub-job back.
                    context.step()
                    self._stop.wait(min(1.0, self.no_room_pause_s))
        except Cancelled as why:
            self._log(f"{context.id}: given back, {why}")
        try:
            self._client.retried(lambda: self._client.release(token))
        except (AwayError, ProtocolError, AccessError) as error:
            # The lease expires, and the server gives the work to another process.
            self._log(f"{context.id}: could not be given back: {error}")

    def _answer(self, token: str, body: IO[bytes], started: float) -> None:
        """Keeps a small answer for the next message. Sends a larger one at once."""
        size = body.tell()
        body.seek(0)
        if size > SMALL_BYTES:
            self._client.result(token, body, self._cpu_ms())
            return
        self._bytes += size
        self._keep({"token": token, "lines": body.read().decode(), "ms": _ms_since(started), "cpuMs": self._cpu_ms()})

    def _cpu_ms(self) -> float:
        """Returns the CPU time in milliseconds since the start of the current sub-job."""
        return round(max(0.0, _cpu_s() - self._cpu_s) * 1000, 1)

    def _keep(self, answer: dict[str, Any]) -> None:
        with self._lock:
            self._answers.append(answer)

    def _exchange(self, fetches: bool = True) -> None:
        """Sends waiting answers and claims new work. If the server may accept the answers later, keeps them and raises the error."""
        with self._sending:
            with self._lock:
                answers, self._answers = self._answers[:MOST_IN_TURN], self._answers[MOST_IN_TURN:]
                room = max(0, self._at_once - len(self._todo))
            if not answers:
                return
            self._bytes = 0
            most = room if fetches and not self._stop.is_set else 0
            try:
                reply = self._client.answers(answers, self._algorithms, most)
            except (AwayError, ProtocolError, AccessError) as error:
                if is_worth_keeping(error):
                    with self._lock:
                        self._answers[:0] = answers
                    raise
                self._not_handed_over(answers, error)
                return
            finally:
                self._sent_at = time.monotonic()
            for reason in reply["refused"]:
                if reason is not None:
                    self._log(f"the server refused an answer: {reason}")
            self._take(reply["work"])

    def _not_handed_over(self, answers: Sequence[dict[str, Any]], error: Exception) -> None:
        self._log(f"answers could not be sent: {error}")
        for answer in answers:
            try:
                self._client.release(answer["token"])
            except (AwayError, ProtocolError, AccessError):
                # The leases expire, and the server gives the work to other processes.
                return

    def _let_go(self) -> None:
        """Sends finished answers, and gives back sub-jobs that are not begun."""
        while True:
            with self._lock:
                self._answers.extend({"token": one["token"]} for one in self._todo)
                self._todo = []
                left = len(self._answers)
            if left == 0:
                return
            try:
                self._exchange(fetches=False)
            except (AwayError, ProtocolError, AccessError) as error:
                # If the process ends, the leases expire. Otherwise the answers are sent again later.
                self._log(f"answers could not be sent: {error}")
                return

    def _ticked(self) -> None:
        """Gives waiting sub-jobs back if the current one takes long, so that other processes can do them."""
        self._component.ticked()
        since = self._working_since
        if since is None or time.monotonic() - since < HELD_UP_S:
            return
        if not (self._todo or self._answers) or (self._letting_go is not None and self._letting_go.is_alive()):
            return
        # A separate thread, so that heartbeats continue even if the server is unavailable.
        self._letting_go = threading.Thread(target=self._let_go, name="let go", daemon=True)
        self._letting_go.start()


def _ms_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _cpu_s() -> float:
    """Returns the CPU seconds of this process and of its finished child processes, summed over all cores."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
