"""Hands: what players draw on a sheet, and the ink that it leaves."""
