"""What publishers print under a grid: maps painted, engraved and photographed."""
