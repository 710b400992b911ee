"""Runs components for the reference system's Python API: see docs/guides/run-a-reference-component.md of Troupe."""
