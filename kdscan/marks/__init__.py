"""A map's shields: crops, probabilities of what was drawn, the most probable board."""
