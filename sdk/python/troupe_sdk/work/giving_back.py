"""What becomes of a sub-job that could not be done: what somebody else may hand over later is no failure."""

from __future__ import annotations

from ..connection.access import AccessError
from ..connection.client import is_passing
from ..errors import AwayError, LocalStorageError, ProtocolError

#: Before work is given back for which there is no room (seconds). It may be given back 20 times: ten minutes for somebody to make room.
NO_ROOM_PAUSE_S = 30.0
#: The certificate of the server is not trusted, the token not taken, the lease lost, or the server away.
GIVEN_BACK = frozenset({0, 401, 409, 502, 503, 504})
NO_ROOM = 507


def has_no_room(error: BaseException) -> bool:
    """The disk of the server, or of this host, is full."""
    return isinstance(error, LocalStorageError) or (isinstance(error, ProtocolError) and error.status == NO_ROOM)


def is_given_back(error: BaseException, ending: bool) -> bool:
    """``ending``: this process is to end, and has not waited for what passes."""
    if isinstance(error, ProtocolError):
        return error.status in GIVEN_BACK or (ending and is_passing(error))
    return isinstance(error, (AwayError, AccessError))


def is_worth_keeping(error: Exception) -> bool:
    """Whether answers that were not taken may be, once the server is back or the token is renewed."""
    return isinstance(error, AccessError) or is_passing(error) or (isinstance(error, ProtocolError) and error.status == 401)
