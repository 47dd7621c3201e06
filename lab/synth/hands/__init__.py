"""Hands: simulated writers, what they draw on a sheet, and the ink that it leaves."""
