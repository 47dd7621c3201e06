"""The error rate that is accepted of readings that are not marked for review."""

DEFAULT_RISK = 0.02
"""A reading that is wrong with more than this probability is marked for review."""


def check_risk(risk: float) -> None:
    """Raise ValueError for a risk that is no probability."""
    if not 0 <= risk <= 1:
        raise ValueError(f"a risk is a probability between 0 and 1, not {risk}")
