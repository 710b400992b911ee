"""Computes pixels and boxes of views for the cases on standard input, so that another program can compare them."""

import base64
import json
import sys

from troupe_sdk.detection.fed import fed_track
from troupe_sdk.picture.geometry import Size, box_to_medium
from troupe_sdk.picture.orientation import picture_view
from troupe_sdk.picture.pixels import shown
from troupe_sdk.picture.views import fed_views
from troupe_sdk.properties import Properties


def answer(case: dict) -> list:
    size = Size(case["width"], case["height"])
    data = base64.b64decode(case["data"])
    properties = Properties(case["properties"])
    if case.get("tracks") is None:
        views = {0: picture_view(properties, case["metadata"], size, with_region=True)}
    else:
        tracks = [fed_track(track) for track in case["tracks"]]
        views = fed_views(tracks, case["type"], properties, case["metadata"], size)
    return [
        {
            "frame": frame,
            "size": view.region[2:],
            "data": base64.b64encode(shown(view, data)).decode(),
            "box": box_to_medium(view, *case["box"])._asdict(),
        }
        for frame, view in views.items()
    ]


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
