"""A component process. A server or node starts it (managed), or another program or a person (unmanaged)."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from .connection.access import Access, AccessError, ClientCredentials, FixedToken
from .connection.client import Client
from .detection.sub_job import SubJobs
from .detector import Detector
from .errors import AwayError, ProtocolError
from .files.media_cache import MediaCache
from .files.media_files import MediaFiles
from .media.programs import readers
from .work.component import Component
from .work.interruption import Stop
from .work.worker import Worker

DEFAULT_URL = "http://127.0.0.1:8080"
#: Seconds after which the process exits once it must end. Until then it gives its work back.
LAST_WORDS_S = 1.5


class SetupError(Exception):
    """Error that keeps the component from starting. The message says what to do."""


def log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def run(make: Callable[[], Detector], descriptor: str | os.PathLike[str] | None = None) -> None:
    """Creates the detector once, and processes sub-jobs until the process must end.

    ``descriptor``: path of the component's descriptor, which names the algorithm. An unmanaged component is registered with it.
    Raises SetupError if the token or the algorithm is unknown.
    """
    environment = os.environ
    serve(lambda client: SubJobs(make(), client, media_files(client, environment)), descriptor, environment)


def media_files(client: Client, environment: Mapping[str, str]) -> MediaFiles:
    shared = environment.get("TROUPE_SHARES_FILES", "true").strip().lower() != "false"
    return MediaFiles(client, MediaCache.of(environment), shared)


def serve(
    load: Callable[[Client], Component],
    descriptor: str | os.PathLike[str] | None,
    environment: Mapping[str, str],
) -> None:
    """Loads the component and processes sub-jobs until the process must end."""
    stop = Stop()
    managed = environment.get("TROUPE_WORKER_TOKEN", "") != ""
    bootstrap = first_line() if managed else {}
    text = Path(descriptor).read_bytes() if descriptor is not None else None
    named = environment.get("TROUPE_INSTANCE")
    client = Client(server_url(environment, managed), access_of(environment), named, environment, log=log)
    algorithm = bootstrap.get("algorithm") or algorithm_of(text, environment)
    component = load(client)
    if not managed and text is not None:
        log(client.register(text))
    worker = Worker(client, [algorithm], component, stop, log)
    watch_for_the_end(stop, worker, client, managed)
    log(f"serving {algorithm}; {readers()}")
    worker.run()
    component.close()


def watch_for_the_end(stop: Stop, worker: Worker, client: Client, managed: bool) -> None:
    def end(why: str) -> None:
        """Ends the work. Must not run in the main thread, which may hold a lock that is needed here."""
        if stop.is_set:
            return
        # A library may block the main thread. Then the process exits without giving its work back.
        timer = threading.Timer(LAST_WORDS_S, lambda: os._exit(0))
        timer.daemon = True
        timer.start()
        stop.set(why)
        client.ending.set()
        worker.interrupter.interrupt(why)

    def until_the_parent_is_gone() -> None:
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        end("the parent process is gone")

    reasons = {signal.SIGTERM: "the process was told to end"}
    if managed:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        threading.Thread(target=until_the_parent_is_gone, name="parent", daemon=True).start()
    else:
        reasons[signal.SIGINT] = "the process was interrupted"
    on_signals(reasons, end)


def on_signals(reasons: Mapping[int, str], end: Callable[[str], None]) -> None:
    """Calls ``end`` from a separate thread when a signal arrives, even if a library blocks the main thread."""
    told, telling = os.pipe()
    os.set_blocking(telling, False)

    def listen() -> None:
        while True:
            for number in os.read(told, 64):
                if number in reasons:
                    end(reasons[number])

    def tell(number: int, _: object) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(telling, bytes([number]))

    threading.Thread(target=listen, name="signals", daemon=True).start()
    # Python writes the number of each signal to the pipe as soon as the signal arrives. A library may replace this file
    # descriptor, so the handler writes the number, too.
    signal.set_wakeup_fd(telling, warn_on_full_buffer=False)
    for number in reasons:
        signal.signal(number, tell)


def first_line() -> dict[str, Any]:
    """Returns the JSON object that the server or node writes to standard input; an empty one if it is invalid.

    The pipe stays open while that process is alive. The bytes are read without a buffer.
    """
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if byte == b"":
            break
        line += byte
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def server_url(environment: Mapping[str, str], managed: bool) -> str:
    names = ("TROUPE_SERVER_URL", "TROUPE_URL") if managed else ("TROUPE_URL", "TROUPE_SERVER_URL")
    return next((environment[name] for name in names if environment.get(name)), DEFAULT_URL)


def access_of(environment: Mapping[str, str]) -> Access:
    for name in ("TROUPE_WORKER_TOKEN", "TROUPE_TOKEN"):
        if environment.get(name):
            return FixedToken(environment[name])
    names = ("TROUPE_ISSUER_URI", "TROUPE_CLIENT_ID", "TROUPE_CLIENT_SECRET")
    values = [environment.get(name, "") for name in names]
    if "" in values:
        raise SetupError(f"The component has no token: set TROUPE_TOKEN, or {names[0]}, {names[1]} and {names[2]}.")
    return ClientCredentials(values[0], values[1], values[2], environment)


def algorithm_of(descriptor: bytes | None, environment: Mapping[str, str]) -> str:
    named = environment.get("TROUPE_ALGORITHM", "")
    if named != "":
        return named
    if descriptor is None:
        raise SetupError(
            "It is not known which algorithm is served: set TROUPE_ALGORITHM, or put a descriptor.json beside the detector."
        )
    try:
        return str(json.loads(descriptor)["algorithm"]["name"])
    except (ValueError, KeyError, TypeError):
        raise SetupError("The descriptor names no algorithm, or is no JSON without comments: set TROUPE_ALGORITHM.") from None


def module_at(path: Path) -> ModuleType:
    """Loads a Python file, which can import files of the same folder. Raises SetupError if there is no such Python file."""
    if not path.is_file():
        raise SetupError(f"There is no file {path}.")
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SetupError(f"{path} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def detector_in(module: ModuleType, name: str | None) -> type[Detector]:
    own = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Detector) and value.__module__ == module.__name__
    }
    if name is not None and name in own:
        return own[name]
    if name is None and len(own) == 1:
        return next(iter(own.values()))
    known = ", ".join(own) or "none"
    raise SetupError(
        f"{module.__file__} must have one class that extends troupe_sdk.Detector, or FILE:CLASS name one of several ({known})."
    )


def descriptor_beside(path: Path, given: str | None) -> Path | None:
    if given is not None:
        return Path(given)
    beside = path.resolve().parent / "descriptor.json"
    return beside if beside.is_file() else None


def ending_with_a_sentence(work: Callable[[], None]) -> int:
    """Runs a component and returns the exit status. An error of the setup or the connection is logged in one line."""
    try:
        work()
    except (SetupError, AccessError, AwayError, ProtocolError) as error:
        log(str(error))
        return 1
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="troupe-component", description="Runs a detector that is written in Python.")
    parser.add_argument("detector", metavar="FILE[:CLASS]", help="Python file with a class that extends troupe_sdk.Detector")
    parser.add_argument("--descriptor", metavar="FILE", help="default: descriptor.json beside the detector, if there is one")
    given = parser.parse_args(arguments)
    file, _, name = given.detector.partition(":")

    def work() -> None:
        made = detector_in(module_at(Path(file)), name or None)
        run(made, descriptor_beside(Path(file), given.descriptor))

    return ending_with_a_sentence(work)
