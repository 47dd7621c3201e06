"""ONNX sessions and the model store."""
