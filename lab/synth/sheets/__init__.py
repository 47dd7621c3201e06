"""Printed sheets of random designs, and the grounds (backgrounds) under them."""
