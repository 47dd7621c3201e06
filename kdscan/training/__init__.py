"""Makes the models; needs the extra `train`."""
