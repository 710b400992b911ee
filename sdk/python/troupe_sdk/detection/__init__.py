"""Sub-jobs of a detector."""
