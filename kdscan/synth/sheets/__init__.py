"""Printed sheets of random designs, and the grounds under them."""
