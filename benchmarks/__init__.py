"""Benchmarks: python -m benchmarks NAME --help, or scripts/bench NAME --help."""
