"""Which sub-jobs are given back after an error: those that can succeed later or elsewhere. All others fail."""

from __future__ import annotations

from ..connection.access import AccessError
from ..connection.client import is_passing
from ..errors import AwayError, LocalStorageError, ProtocolError

#: Seconds before work is given back because a disk is full. It can be given back 20 times: ten minutes in which to free space.
NO_ROOM_PAUSE_S = 30.0
#: Statuses for: certificate not trusted (0), token refused, lease lost, server unavailable.
GIVEN_BACK = frozenset({0, 401, 409, 502, 503, 504})
NO_ROOM = 507


def has_no_room(error: BaseException) -> bool:
    """True if the disk of the server or of this host is full."""
    return isinstance(error, LocalStorageError) or (isinstance(error, ProtocolError) and error.status == NO_ROOM)


def is_given_back(error: BaseException, ending: bool) -> bool:
    """True if the sub-job is given back instead of failing. ``ending``: this process must end and did not wait for the server."""
    if isinstance(error, ProtocolError):
        return error.status in GIVEN_BACK or (ending and is_passing(error))
    return isinstance(error, (AwayError, AccessError))


def is_worth_keeping(error: Exception) -> bool:
    """True if the server may accept these answers later, when it is available again or the token is renewed."""
    return isinstance(error, AccessError) or is_passing(error) or (isinstance(error, ProtocolError) and error.status == 401)
