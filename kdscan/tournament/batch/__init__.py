"""A pile of photos: read by many processes, each page once, resumed where it was broken off."""
