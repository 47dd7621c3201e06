"""What was drawn on a sheet, told from what is printed on it."""
