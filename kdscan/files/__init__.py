"""Atomic writing of files, and reading of texts up to a maximum size."""
