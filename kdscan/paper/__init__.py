"""What is printed on paper, in millimetres."""
