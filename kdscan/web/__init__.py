"""The page on which people upload photos, see scores and correct them; `kdscan serve` serves it."""
