"""Properties of a sub-job, read by their types."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from .errors import DetectionError

_MISSING = object()


class Properties(Mapping[str, str]):
    """All values are text. The readers fail the sub-job with MISSING_PROPERTY or INVALID_PROPERTY and a sentence."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def text(self, name: str, default: object = _MISSING) -> str:
        value = self._values.get(name, "")
        if value.strip() != "":
            return value
        if default is _MISSING:
            raise DetectionError(
                "MISSING_PROPERTY",
                f"The {name} property is not set: set it for the job, or describe it with a defaultValue in descriptor.json.",
            )
        return str(default)

    def number(self, name: str, default: object = _MISSING) -> float:
        text = self.text(name, default)
        try:
            value = float(text)
        except ValueError:
            raise _invalid(name, text, "a number") from None
        if math.isnan(value):
            raise _invalid(name, text, "a number")
        return value

    def integer(self, name: str, default: object = _MISSING) -> int:
        value = self.number(name, default)
        if not value.is_integer():
            raise _invalid(name, self.text(name, default), "a whole number")
        return int(value)

    def boolean(self, name: str, default: object = _MISSING) -> bool:
        text = self.text(name, default).strip().lower()
        if text not in ("true", "false"):
            raise _invalid(name, text, "TRUE or FALSE")
        return text == "true"

    def is_true(self, name: str) -> bool:
        """False as well when it is absent or says anything else."""
        return self._values.get(name, "").strip().lower() == "true"


def _invalid(name: str, text: str, kind: str) -> DetectionError:
    return DetectionError("INVALID_PROPERTY", f'The {name} property has the value "{text}", which is not {kind}.')
