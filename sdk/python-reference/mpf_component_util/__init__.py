"""The readers that components import which were written for the reference system's Python API; numpy is needed for them."""

from .readers import ImageReader, ImageReaderMixin, VideoCapture, VideoCaptureMixin
from .utils import Point, Rect, Size, get_property

__all__ = [
    "ImageReader",
    "ImageReaderMixin",
    "Point",
    "Rect",
    "Size",
    "VideoCapture",
    "VideoCaptureMixin",
    "get_property",
]
