"""Pixels → kingdoms of tiles; a file a stage, as for sheets."""
