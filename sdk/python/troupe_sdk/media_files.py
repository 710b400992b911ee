"""Where the file of a medium lies on this host, and where files go that a component makes of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .client import Client
from .context import Context
from .errors import DetectionError

Message = dict[str, Any]


class MediaFiles:
    def __init__(self, client: Client) -> None:
        self._client = client

    def path(self, assignment: Mapping[str, Any], context: Context) -> str:
        path = str(assignment["work"]["medium"]["path"])
        if not os.access(path, os.R_OK):
            raise DetectionError("COULD_NOT_OPEN_MEDIA", "The file of the medium cannot be read on this host.")
        return path

    def output_folder(self, assignment: Mapping[str, Any]) -> str:
        folder = assignment["work"].get("outputFolder")
        if folder is None:
            raise DetectionError("DETECTION_FAILED", "The server named no folder for the files that may be made of the document.")
        os.makedirs(folder, exist_ok=True)
        return str(folder)

    def handed_over(self, assignment: Mapping[str, Any], track: Message) -> Message:
        """The track as it goes to the server, which finds a file that it names."""
        return track
