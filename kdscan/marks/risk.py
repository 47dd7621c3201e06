"""The accepted error rate of readings that are not marked for review."""

DEFAULT_RISK = 0.02
"""A reading that is wrong with more than this probability is marked for review."""


def check_risk(risk: float) -> None:
    """Raise ValueError for a risk below 0 or not a number; one above 1 accepts everything."""
    if not risk >= 0:
        raise ValueError(f"a risk is a probability, not {risk}")
