"""The inference graph of the marks network: the same outputs as `MarksNet` from fewer operations.

onnxruntime runs convolutions, and whatever it can fuse with them, in a blocked layout of its own.
Every other operation on feature maps costs as much as a small convolution plus converting the
layout. So there is no axis for sheets, means over shields are matrix products, and features common
to all cells are mixed in once, not 35 times. On AVX2 this takes 0.84 of the time.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

from kdscan.rules.duel.board import CELLS
from lab.training.marks_networks import MarksNet, SheetContext


class MarksInference(nn.Module):
    """(35, 1, 128, 128) ink and (35, 3, 64, 64) coarse planes, the castle last → logits
    (1, 34, 7), (1, 34, 5), (1, 1) and offsets (1, 35, 2) in cells, the same as `MarksNet` gives for
    these crops."""

    edges: Tensor

    def __init__(self, net: MarksNet) -> None:
        super().__init__()
        self.net = net.eval()  # batch norms must be in evaluation mode to be folded into kernels
        self.context8, self.context16 = (
            SheetContextInference(net.context8),
            SheetContextInference(net.context16),
        )
        mean = torch.full((1, len(CELLS)), 1 / len(CELLS))
        castle = torch.zeros(5, 1)
        edges = torch.cat([torch.cat([mean, net.edges[0].cpu()]), castle], 1)
        self.register_buffer("edges", edges, persistent=False)

    def forward(self, ink: Tensor, coarse: Tensor) -> tuple[Tensor, ...]:
        net = self.net
        both = net.coarse4(coarse) + net.fine4(net.fine(ink))
        at8 = self.context8(net.to8(torch.relu(both)), self.edges)
        at16 = self.context16(net.to16(at8), self.edges)
        at32 = net.to32(at16)
        near, fine = _pooled(at32), _pooled(at16)
        count = torch.sigmoid(net.spots(at8)).sum((2, 3)) / 4
        features = torch.cat([near, fine, count], 1)[None, :-1]
        combined = torch.cat([features, net.attention(net.token(features) + net.position)], 2)
        return net.coat(combined), net.crosses(combined), net.castle(near[-1:]), self._offsets(at16)

    def _offsets(self, at16: Tensor) -> Tensor:
        head = self.net.offset
        own = torch.relu(head.squeeze(at16)).flatten(1)[None]
        sheet = head.sheet((self.edges @ own).flatten(1))
        offsets: Tensor = head.out(torch.relu(head.cell(own) + sheet[:, None]))
        return offsets


class SheetContextInference(nn.Module):
    """`SheetContext` for one sheet: cells (35, C, H, W), and weights (5, 35) of the shields for
    their mean and their means along the four edges."""

    def __init__(self, shared: SheetContext) -> None:
        super().__init__()
        self.shared = shared
        layer, norm = shared.mix[0], shared.mix[1]
        self.mix = fuse_conv_bn_eval(layer, norm)

    def forward(self, x: Tensor, edges: Tensor) -> Tensor:
        cells, c, h, w = x.shape
        flat = x.flatten(1)
        means = edges @ flat
        spread = (edges[:1] @ (flat - means[:1]).square()).add(1e-4).sqrt()
        sheet = self.shared.sheet(torch.cat([means[:1], spread]).view(1, 2 * c, h, w))
        common = sheet + self.shared.edges(means[1:].view(1, 4 * c, h, w))
        # Split only here, so that both halves are stored as one kernel.
        own, of_common = self.mix.weight.split(c, 1)
        wide = F.conv2d(common, of_common).expand(cells, -1, -1, -1)
        y = torch.relu(F.conv2d(x, own, self.mix.bias) + wide)
        return torch.relu(x + self.shared.out(y))


def _pooled(x: Tensor) -> Tensor:
    """(N, C, H, W) → (N, 2 C): global average and maximum."""
    return torch.cat([F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, 1)], 1).flatten(1)
