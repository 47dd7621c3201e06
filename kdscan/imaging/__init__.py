"""Files to pixels: photos and scans decoded within limits; image pyramids and rectification."""
