"""Files to pixels: photos and scans decoded within limits, and what is laid flat of them."""
