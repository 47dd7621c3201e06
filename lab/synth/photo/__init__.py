"""The photo of a sheet: paper, table, light, lens and sensor."""
