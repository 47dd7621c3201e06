"""Export of trained networks to ONNX, with quantised weights, labels and version in the
metadata."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from kdscan.inference.store import MARKS
from kdscan.marks.crops import CHANNELS, COARSE_PX, INPUT_PX
from kdscan.marks.ink_reader import CIRCLE_SIDE, MAX_CIRCLES, SIDE
from kdscan.marks.network import COVER_HW
from kdscan.rules.duel.board import CELLS
from kdscan.rules.kingdomino.kingdom import SQUARE_CLASSES
from kdscan.sheets.kingdom.squares import CROP_SQUARES, SIDE_PX
from kdscan.sheets.spellbook.read import CROP_WH

INK_PLANES = (len(CELLS) + 1, 1, INPUT_PX, INPUT_PX)
COARSE_PLANES = (len(CELLS) + 1, len(CHANNELS), COARSE_PX, COARSE_PX)
"""Shapes of a sheet's crops, see `CellCrops`; a batch is always one sheet."""

INPUTS: dict[str, dict[str, tuple[int, ...]]] = {
    "locate": {"image": (1, 3, 288, 384)},
    "refine": {"image": (1, 3, 224, 288)},
    "ink": {"ink": (1, *INK_PLANES), "coarse": (1, *COARSE_PLANES)},
    "ink_reader": {
        "cells": (1, len(CELLS), 2, SIDE, SIDE),
        "shared": (1, 3, SIDE, SIDE),
        "rounds": (1, len(CELLS), MAX_CIRCLES, CIRCLE_SIDE, CIRCLE_SIDE),
        "near": (1, MAX_CIRCLES, CIRCLE_SIDE, CIRCLE_SIDE),
        "about": (1, MAX_CIRCLES + 2),
    },
    "cover": {"image": (1, 3, *COVER_HW)},
    "marks": {"ink": INK_PLANES, "coarse": COARSE_PLANES},
    "spellbook": {"image": (72, 3, *CROP_WH[::-1])},
    "tiles": {"image": (1, 3, 288, 384)},
    "squares": {"image": (25, 3, *2 * [round(CROP_SQUARES * SIDE_PX)])},
}
"""The inputs of each network by name, and their shapes."""

OUTPUTS = {
    "locate": ("on_grid", "place", "doubt"),
    "refine": ("offset", "there", "upright"),
    "ink": ("drawn",),
    "ink_reader": ("coat", "crosses", "crossed"),
    "cover": ("covered",),
    "marks": ("coat", "crosses", "castle", "offset"),
    "spellbook": ("marked_passed_there",),
    "tiles": ("on_square", "center", "doubt", "laid"),
    "squares": ("kind",),
}
LABELS = {
    "marks": MARKS,
    "ink_reader": MARKS,
    "squares": [f"{terrain} {crowns}" for terrain, crowns in SQUARE_CLASSES],
}


def to_onnx(
    name: str, net: nn.Module, version: str, metadata: dict[str, str] | None = None
) -> bytes:
    """Serialise a network with dynamic batch size and, for thumbnails, dynamic picture size.
    Networks for whole sheets have static shapes, because onnxruntime can then fuse more of them."""
    inputs = {key: torch.zeros(shape) for key, shape in INPUTS[name].items()}
    batch: dict[int, str] = {} if name in ("marks", "ink", "ink_reader") else {0: "batch"}
    in_axes, out_axes = batch, batch
    if name in ("locate", "tiles"):
        in_axes, out_axes = batch | {2: "height", 3: "width"}, batch | {2: "rows", 3: "cols"}
    dynamic = dict.fromkeys(inputs, in_axes) | dict.fromkeys(OUTPUTS[name], out_axes)
    buffer = io.BytesIO()
    torch.onnx.export(
        net.eval().to(memory_format=torch.contiguous_format),
        tuple(inputs.values()),
        buffer,
        input_names=list(inputs),
        output_names=list(OUTPUTS[name]),
        dynamic_axes=dynamic,
        opset_version=17,
        dynamo=False,
    )
    model = onnx.load_model_from_string(buffer.getvalue())
    _shrink(model)
    labels = json.dumps(LABELS.get(name))
    about = {"name": name, "version": version, "labels": labels} | (metadata or {})
    helper.set_model_props(model, about)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


def _shrink(model: Any) -> None:
    """Weight-only quantisation: large weights are stored in 8 bits; the runtime computes in
    float32.

    Matrices and kernels become int8 with a scale for each row (error at most 1/254 of the row's
    largest weight) and are dequantised once, by constant folding when a session starts. (Of 10,200
    shields, marks 12 read two differently than in 16 bits; log losses were equal to four digits.)
    """
    graph = model.graph
    restoring, kept = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.ndim < 2 or values.size < 512:
            kept.append(tensor)
            continue
        stored = tensor.name + "_stored"
        largest = np.abs(values).max(tuple(range(1, values.ndim)), keepdims=True)
        scale = np.maximum(largest, 1e-12).astype(np.float32) / 127
        kept.append(numpy_helper.from_array(np.round(values / scale).astype(np.int8), stored))
        kept.append(numpy_helper.from_array(scale, tensor.name + "_scale"))
        whole = tensor.name + "_whole"
        restoring.append(helper.make_node("Cast", [stored], [whole], to=TensorProto.FLOAT))
        restoring.append(helper.make_node("Mul", [whole, tensor.name + "_scale"], [tensor.name]))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    nodes = restoring + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)
