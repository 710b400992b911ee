"""Write detectors for Troupe in Python: see docs/reference/python-sdk.md of Troupe."""

from .context import Context
from .detector import Detector
from .errors import CODES, Cancelled, DetectionError
from .model import (
    SAMPLE_RATE,
    AudioSource,
    Detection,
    Document,
    FedTrack,
    Finding,
    Frame,
    Job,
    Medium,
    Remark,
    Sound,
    Track,
    VideoSource,
)
from .properties import Properties
from .run import run

__version__ = "0.1.0"

__all__ = [
    "CODES",
    "SAMPLE_RATE",
    "AudioSource",
    "Cancelled",
    "Context",
    "Detection",
    "DetectionError",
    "Detector",
    "Document",
    "FedTrack",
    "Finding",
    "Frame",
    "Job",
    "Medium",
    "Properties",
    "Remark",
    "Sound",
    "Track",
    "VideoSource",
    "__version__",
    "run",
]
