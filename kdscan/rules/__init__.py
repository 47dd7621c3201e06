"""The rules of both games; uses only the standard library and knows nothing about pixels."""
