"""What each choice gives: several marks networks, the same batches, the same budget.

All candidates see the same crops in the same order, so that what differs in the
table is the candidate. Figures are on held-back sheets: designs and hands that no
candidate saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import torch
from torch import nn

from kdscan.training.dataset import Example
from kdscan.training.measure import as_network, marks_figures, marks_logits
from kdscan.training.networks import MarksNet
from kdscan.training.state import Run
from kdscan.training.supply import Supply
from kdscan.training.tasks import TASKS
from kdscan.training.trainer import train


@dataclass(frozen=True)
class Candidate:
    """A choice of planes (indices into `segment.CHANNELS`) and of the network's width."""

    name: str
    channels: tuple[int, ...]
    width: int = 16


CANDIDATES = (
    Candidate("ink alone", (0,)),
    Candidate("ink and colour", (0, 2)),
    Candidate("ink and print", (0, 1)),
    Candidate("ink, print and colour", (0, 1, 2)),
    Candidate("ink, print and colour, half as wide", (0, 1, 2), 8),
)


class _Planes(nn.Module):
    """A network that is shown some of the planes."""

    def __init__(self, candidate: Candidate) -> None:
        super().__init__()
        self.channels = list(candidate.channels)
        self.net = MarksNet(len(self.channels), candidate.width)

    def forward(
        self, x: torch.Tensor, places: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, ...]:
        out: tuple[torch.Tensor, ...] = self.net(x[:, :, self.channels], places)
        return out


def compare(
    run: Run, supply: Supply, held: Sequence[Example], folder: Path
) -> dict[str, dict[str, float]]:
    """Train every candidate as `run` says; figures by candidate. States are kept in `folder`."""
    figures = {}
    for candidate in CANDIDATES:
        task = replace(TASKS["marks"], net=partial(_Planes, candidate))
        net = train(task, run, supply, folder / candidate.name.replace(" ", "-"), resume=True)
        figures[candidate.name] = marks_figures(marks_logits(as_network(net), held))
        figures[candidate.name]["parameters"] = _size(net)
    return figures


def _size(net: nn.Module) -> float:
    return float(sum(p.numel() for p in net.parameters()))


def table(figures: dict[str, dict[str, float]]) -> str:
    """The figures as a Markdown table."""
    rows = [
        "| planes and network | parameters | coat | crosses | cell | board |",
        "|---|---|---|---|---|---|",
    ]
    for name, f in figures.items():
        shares = " | ".join(f"{100 * f[k]:.2f}%" for k in ("coat", "crosses", "cell", "board"))
        rows.append(f"| {name} | {f['parameters']:,.0f} | {shares} |")
    return "\n".join(rows)
