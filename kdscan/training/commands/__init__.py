"""What `python -m kdscan.training` can do, by what is trained."""
