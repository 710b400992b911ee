"""Components that were written for the reference system's Python API: see docs/reference-components.md of Troupe."""
