"""The laboratory: how models are made and measured. Nothing that ships imports it."""
