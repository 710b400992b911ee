"""Readers that components for the reference system's Python API import. They need numpy."""

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
