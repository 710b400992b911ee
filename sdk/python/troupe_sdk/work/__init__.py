"""Claims sub-jobs, keeps their leases and returns their answers."""
