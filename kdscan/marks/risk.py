"""The default error rate of readings that are not marked for review."""

DEFAULT_RISK = 0.02
"""A reading that is wrong with more than this probability is marked for review."""
