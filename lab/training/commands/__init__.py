"""The commands of `python -m lab.training`."""
