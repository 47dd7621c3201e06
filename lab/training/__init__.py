"""Training of the models; needs the extra `train`."""
