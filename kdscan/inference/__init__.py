"""ONNX sessions and the model store."""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
"""onnxruntime reports every machine and process it runs on to its maker, unless this variable is
set when onnxruntime is first imported, which happens after this package."""
