"""Separation of drawn ink from print."""
