"""What is printed on a pad's sheets: learned from photos, recognised, laid over a sheet."""
