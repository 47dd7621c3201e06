"""A pile of photos: read by many processes, each page once, and resumed after an interruption."""
