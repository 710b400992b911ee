"""Server-sent events, see https://html.spec.whatwg.org/multipage/server-sent-events.html."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class ServerEvent(NamedTuple):
    name: str
    data: str


def server_events(lines: Iterable[str]) -> Iterator[ServerEvent]:
    """Yields the events in order. Ignores comments, ids and an unfinished last event."""
    name = ""
    data: list[str] = []
    for line in lines:
        text = line.rstrip("\r\n")
        if text == "":
            if data:
                yield ServerEvent(name or "message", "\n".join(data))
            name, data = "", list[str]()
            continue
        field, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
