"""Finds a component for the reference system, and runs it."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from troupe_sdk.run import SetupError, ending_with_a_sentence, media_files, module_at, serve

from .adapter import ReferenceComponent

GROUP = "mpf.exported_component"
#: Paths of descriptors, relative to the folder of the component.
DESCRIPTORS = ("descriptor.json", "descriptor/descriptor.json", "plugin-files/descriptor/descriptor.json")


def factory_of(named: str) -> Callable[[], Any]:
    """Returns the factory of the component: EXPORT_MPF_COMPONENT of a file, or the export of an installed distribution.

    Raises SetupError if there is none.
    """
    if named.endswith(".py"):
        made = getattr(module_at(Path(named)), "EXPORT_MPF_COMPONENT", None)
        if not callable(made):
            raise SetupError(f"{named} has no EXPORT_MPF_COMPONENT: it must be the class of the component.")
        found: Callable[[], Any] = made
        return found
    try:
        exported = importlib.metadata.distribution(named).entry_points
    except importlib.metadata.PackageNotFoundError:
        raise SetupError(f"{named} is no Python file, and no distribution of that name is installed.") from None
    for entry in exported:
        if entry.group == GROUP:
            loaded: Callable[[], Any] = entry.load()
            return loaded
    raise SetupError(f"The distribution {named} exports no component: its entry points have no {GROUP}.")


def descriptor_of(named: str, given: str | None) -> Path | None:
    if given is not None:
        return Path(given)
    folder = Path(named).resolve().parent if named.endswith(".py") else Path.cwd()
    return next((folder / place for place in DESCRIPTORS if (folder / place).is_file()), None)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="troupe-reference", description="Runs a component of the reference system's Python API."
    )
    parser.add_argument("component", metavar="FILE.py|DISTRIBUTION", help="what the descriptor calls batchLibrary")
    parser.add_argument("--descriptor", metavar="FILE", help="default: descriptor.json in the usual places beside the component")
    given = parser.parse_args(arguments)

    def work() -> None:
        descriptor = descriptor_of(given.component, given.descriptor)
        made = factory_of(given.component)
        environment = os.environ
        serve(lambda client: ReferenceComponent(made(), client, media_files(client, environment)), descriptor, environment)

    return ending_with_a_sentence(work)
