"""The commands of `python -m kdscan.training`."""
