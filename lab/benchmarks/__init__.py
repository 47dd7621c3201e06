"""Measurements: accuracy, speed, robustness."""
