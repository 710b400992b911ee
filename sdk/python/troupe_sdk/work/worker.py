"""Claims and works until this process is to end: one sub-job at a time, but several small ones a message."""

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
#: Sub-jobs that are claimed, or answered, in one message.
MOST_IN_TURN = 64
#: Results up to this many bytes are sent together with others.
SMALL_BYTES = 32 * 1024
#: Answers of so many bytes are not kept any longer.
MOST_BYTES = 512 * 1024
#: Results above this lie in a file until they are sent, and sent again.
IN_MEMORY_BYTES = 8 * 1024 * 1024
#: Work for so long (seconds) is fetched at a time, as far as one can tell by what was done before.
AHEAD_S = 0.4
#: Answers are kept for so long, to be sent together.
TOGETHER_S = AHEAD_S / 2
#: A sub-job that takes longer than this holds up no others: they go back.
HELD_UP_S = 1.0
#: Of the time that a sub-job is expected to take, the part that the last one tells.
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
        #: Claimed and not begun.
        self._todo: list[Assignment] = []
        self._answers: list[dict[str, Any]] = []
        self._bytes = 0
        self._sent_at = time.monotonic()
        self._expected_s = HELD_UP_S
        self._working_since: float | None = None
        #: CPU time of this process when the sub-job in hand was begun.
        self._cpu_s = 0.0
        self._letting_go: threading.Thread | None = None

    def run(self) -> None:
        """Ends when the process is to end, with nothing in hand; raises ProtocolError or AccessError when it is not let in."""
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
        """Work or answers from before the server was away."""
        with self._lock:
            return len(self._todo) + len(self._answers) > 0

    def _fetch(self) -> None:
        """Waits for work, with nothing in hand."""
        self._take(self._client.claim(self._algorithms, self._at_once, POLL_MS, self._stop.wake))

    def _work_off(self) -> None:
        """Does what there is, and what comes with each message, until nothing is left and all is answered."""
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
        """Small jobs first: those that wait for nothing else."""
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
        """What somebody else may hand over later is given back; all else would go wrong again, and is told as a failure."""
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
        """Gives back what was begun, which the server counts: in the end such work fails."""
        try:
            with self.interrupter.watching(context):
                until = time.monotonic() + self.no_room_pause_s
                while time.monotonic() < until and not self._stop.is_set:
                    # To wait is no silence.
                    context.step()
                    self._stop.wait(min(1.0, self.no_room_pause_s))
        except Cancelled as why:
            self._log(f"{context.id}: given back, {why}")
        try:
            self._client.retried(lambda: self._client.release(token))
        except (AwayError, ProtocolError, AccessError) as error:
            # The lease runs out, and the server gives the work to somebody else.
            self._log(f"{context.id}: could not be given back: {error}")

    def _answer(self, token: str, body: IO[bytes], started: float) -> None:
        """Small answers are kept for the next message, larger ones sent by themselves."""
        size = body.tell()
        body.seek(0)
        if size > SMALL_BYTES:
            self._client.result(token, body, self._cpu_ms())
            return
        self._bytes += size
        self._keep({"token": token, "lines": body.read().decode(), "ms": _ms_since(started), "cpuMs": self._cpu_ms()})

    def _cpu_ms(self) -> float:
        """CPU time since the sub-job in hand was begun: milliseconds."""
        return round(max(0.0, _cpu_s() - self._cpu_s) * 1000, 1)

    def _keep(self, answer: dict[str, Any]) -> None:
        with self._lock:
            self._answers.append(answer)

    def _exchange(self, fetches: bool = True) -> None:
        """Sends the answers that are there, and fetches as much work as there is room for. Raises while the server does not let it."""
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
                # The leases run out, and the server gives the work to somebody else.
                return

    def _let_go(self) -> None:
        """Answers what was done and gives back what was not begun."""
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
                # At the end of the process the leases run out; else it is tried again.
                self._log(f"answers could not be sent: {error}")
                return

    def _ticked(self) -> None:
        """While one sub-job takes long, others may do those that come after it."""
        self._component.ticked()
        since = self._working_since
        if since is None or time.monotonic() - since < HELD_UP_S:
            return
        if not (self._todo or self._answers) or (self._letting_go is not None and self._letting_go.is_alive()):
            return
        # Heartbeats go on meanwhile, also while the server is away.
        self._letting_go = threading.Thread(target=self._let_go, name="let go", daemon=True)
        self._letting_go.start()


def _ms_since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)


def _cpu_s() -> float:
    """CPU time of this process and of programs that it has waited for, of all cores together: seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
