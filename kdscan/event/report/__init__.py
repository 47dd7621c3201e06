"""An event as one HTML file: standings, games, plots, and every sheet with what was read on it."""
