"""What is read from each kind of sheet: evidence, reading, how it is shown; see `base`."""
