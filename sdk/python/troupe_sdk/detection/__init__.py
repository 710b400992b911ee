"""A detector at work on sub-jobs."""
