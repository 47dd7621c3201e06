"""How sure a reading has to be, for all who ask nothing else of it."""

DEFAULT_RISK = 0.02
"""A reading that is wrong with more than this probability asks for a look."""
