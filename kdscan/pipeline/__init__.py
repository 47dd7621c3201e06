"""From a photo to what it is worth: the stages in order, sheets fused, tables, the JSON."""
