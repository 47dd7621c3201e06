"""The page: upload, look, correct; `kdscan serve` starts it."""
