"""The current sub-job, for readers of media that know only the job object of the reference system."""

from __future__ import annotations

from troupe_sdk.detection.task import Task

task: Task | None = None
