"""A published model as a network that can be trained on: no checkpoint needed.

Publishing folds each batch norm into its convolution. Here the fold is undone: what the
norm would see is measured on a few batches, and its scale and shift are set so that the
network says what it said before.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from kdscan.errors import UsageError


def restore(net: nn.Module, path: Path, batches: Iterable[Tensor]) -> nn.Module:
    """Fill `net` with a published model's weights.

    path: NAME-VERSION/model.onnx, made by `export.to_onnx` from a network of this class.
    batches: pictures as the network takes them, for the batch norms' statistics.
    What the model divides its answers by (its temperatures) is left out.
    Raises UsageError when the file holds another network.
    """
    pictures = list(batches)
    layers = _layers_as_called(net, pictures[0])
    try:
        graph = onnx.load(path).graph
    except DecodeError as error:
        raise UsageError(f"{path} is no ONNX file") from error
    values = _stored_values(graph)
    try:
        with torch.no_grad():
            _fill_by_name(net, values)
            _fill_in_order(layers, graph, values)
    except (RuntimeError, ValueError) as error:
        raise UsageError(f"{path} holds another network than {type(net).__name__}") from error
    _unfold(net, layers, pictures)
    return net.eval()


def _layers_as_called(net: nn.Module, picture: Tensor) -> list[nn.Module]:
    called: list[nn.Module] = []
    kinds = (nn.Conv2d, nn.BatchNorm2d, nn.Linear)
    hooks = [
        layer.register_forward_pre_hook(lambda layer, _: called.append(layer))
        for layer in net.modules()
        if isinstance(layer, kinds)
    ]
    with torch.no_grad():
        net.eval()(picture)
    for hook in hooks:
        hook.remove()
    return called


def _stored_values(graph: Any) -> dict[str, NDArray[np.float32]]:
    """Every weight by the name that the graph's layers know it by, in 32 bits again."""
    values = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in values:
            values[node.output[0]] = values[node.input[0]].astype(np.float32)
        elif node.op_type == "Mul" and all(name in values for name in node.input):
            values[node.output[0]] = values[node.input[0]] * values[node.input[1]]
    return values


def _fill_by_name(net: nn.Module, values: dict[str, NDArray[np.float32]]) -> None:
    for name, parameter in net.named_parameters():
        if (value := values.get(f"net.{name}", values.get(name))) is not None:
            parameter.copy_(torch.from_numpy(value.copy()))


def _fill_in_order(
    layers: list[nn.Module], graph: Any, values: dict[str, NDArray[np.float32]]
) -> None:
    """Convolutions and matrices lost their names; they stand in the order of the calls."""
    stored = [
        (node.op_type, [values[name] for name in node.input[1:] if name in values])
        for node in graph.node
        if node.op_type in ("Conv", "MatMul", "Gemm") and node.input[1] in values
    ]
    norms = {id(a): b for a, b in pairwise(layers)}
    weighed = [layer for layer in layers if not isinstance(layer, nn.BatchNorm2d)]
    for layer, (kind, (weight, *bias)) in zip(weighed, stored, strict=True):
        if (kind == "Conv") != isinstance(layer, nn.Conv2d):
            raise ValueError("layers stand in another order")
        turned = weight.T if kind == "MatMul" else weight
        _set(layer.weight, turned)
        after = norms.get(id(layer))
        if layer.bias is not None and bias:
            _set(layer.bias, bias[0])
        elif isinstance(after, nn.BatchNorm2d):
            _set(after.weight, np.ones(len(turned)))
            _set(after.bias, bias[0])
            _set(after.running_mean, np.zeros(len(turned)))
            _set(after.running_var, np.full(len(turned), 1 - after.eps))


def _set(tensor: Any, value: NDArray[Any]) -> None:
    if tensor.shape != value.shape:
        raise ValueError(f"{tuple(tensor.shape)} is not {value.shape}")
    tensor.copy_(torch.from_numpy(np.array(value, np.float32)))


def _unfold(net: nn.Module, layers: list[nn.Module], pictures: list[Tensor]) -> None:
    """Norms that so far only shift get the statistics of what they see."""
    norms = [layer for layer in layers if isinstance(layer, nn.BatchNorm2d)]
    seen: dict[int, list[tuple[Tensor, Tensor]]] = {id(norm): [] for norm in norms}

    def look(norm: nn.Module, args: tuple[Tensor, ...]) -> None:
        seen[id(norm)].append((args[0].mean((0, 2, 3)), args[0].square().mean((0, 2, 3))))

    hooks = [norm.register_forward_pre_hook(look) for norm in norms]
    with torch.no_grad():
        for picture in pictures:
            net(picture)
        for norm in norms:
            mean, square = (torch.stack(part).mean(0) for part in zip(*seen[id(norm)], strict=True))
            variance = (square - mean.square()).clamp(min=0)
            _set(norm.running_mean, mean.numpy())
            _set(norm.running_var, variance.numpy())
            _set(norm.weight, (variance + norm.eps).sqrt().numpy())
            _set(norm.bias, (norm.bias + mean).numpy())
    for hook in hooks:
        hook.remove()
