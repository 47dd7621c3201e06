"""Synthetic photos: random designs, simulated games, drawn marks, and a simulated camera."""
