"""What all kinds share: plain values of the JSON, pens of the overlay."""
