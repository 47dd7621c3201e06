"""What all kinds share: JSON values, drawing, text output, correction fields."""
