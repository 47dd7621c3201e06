"""ONNX sessions and the model store."""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
"""onnxruntime tells its maker of every machine and process it runs on, unless it finds this when it
is imported, for the first time and after this package."""
