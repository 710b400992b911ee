"""Client of the REST interface of Troupe: see docs/guides/use-the-python-client.md of Troupe."""

from .client import Client
from .errors import IncompleteError, RefusedError, TroupeError, UnreachableError
from .events import ServerEvent
from .findings import FoundTrack, Row, frame, rows, tracks
from .streams import Streams

__version__ = "0.1.0"

__all__ = [
    "Client",
    "FoundTrack",
    "IncompleteError",
    "RefusedError",
    "Row",
    "ServerEvent",
    "Streams",
    "TroupeError",
    "UnreachableError",
    "__version__",
    "frame",
    "rows",
    "tracks",
]
