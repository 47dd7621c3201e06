"""The rules of both games; standard library only, knows nothing of pixels."""
