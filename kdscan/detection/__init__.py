"""Where sheets lie in a photo, which way up, and which layout they have."""
