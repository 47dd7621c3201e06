"""The pipeline from a photo to the JSON: the stages in order, fusion of photos, tables."""
