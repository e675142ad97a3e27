"""Building and publishing index versions: the memo store, the lease, the stages and the run."""
