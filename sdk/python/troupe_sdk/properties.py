"""Properties of a sub-job, as text, numbers and booleans."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from .errors import DetectionError

_MISSING = object()


class Properties(Mapping[str, str]):
    """Properties by name. All values are text.

    ``text``, ``number``, ``integer`` and ``boolean`` raise DetectionError: with MISSING_PROPERTY if the value is missing or blank
    and there is no default, with INVALID_PROPERTY if the value has another type.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def text(self, name: str, default: object = _MISSING) -> str:
        """Returns the value as text, or ``default`` if it is missing or blank."""
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
        """Returns the value as a number, or ``default`` if it is missing or blank."""
        text = self.text(name, default)
        try:
            value = float(text)
        except ValueError:
            raise _invalid(name, text, "a number") from None
        if math.isnan(value):
            raise _invalid(name, text, "a number")
        return value

    def integer(self, name: str, default: object = _MISSING) -> int:
        """Returns the value as a whole number, or ``default`` if it is missing or blank."""
        value = self.number(name, default)
        if not value.is_integer():
            raise _invalid(name, self.text(name, default), "a whole number")
        return int(value)

    def boolean(self, name: str, default: object = _MISSING) -> bool:
        """Returns the value, TRUE or FALSE in any case, or ``default`` if it is missing or blank."""
        text = self.text(name, default).strip().lower()
        if text not in ("true", "false"):
            raise _invalid(name, text, "TRUE or FALSE")
        return text == "true"

    def is_true(self, name: str) -> bool:
        """True if the value is TRUE in any case. A missing or other value is false, not an error."""
        return self._values.get(name, "").strip().lower() == "true"


def _invalid(name: str, text: str, kind: str) -> DetectionError:
    return DetectionError("INVALID_PROPERTY", f'The {name} property has the value "{text}", which is not {kind}.')
