"""Pixels to marks; one file a stage, each a pure function on records."""
