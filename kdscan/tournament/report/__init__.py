"""An event as one HTML file: standings, games, plots, and every sheet with what was read on it."""

from kdscan.tournament.report.page import write_report

__all__ = ["write_report"]
