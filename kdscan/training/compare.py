"""What each choice gives: several marks networks, the same batches, the same budget.

All candidates see the same crops in the same order, so that what differs in the
table is the candidate. Figures are on held-back sheets: designs and hands that no
candidate saw.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import nn

from kdscan.training.dataset import Example
from kdscan.training.fit import TASKS, marks_loss, stream
from kdscan.training.measure import as_network, marks_figures, marks_logits
from kdscan.training.networks import MarksNet
from kdscan.training.precision import quickest


@dataclass(frozen=True)
class Candidate:
    """A choice of planes (indices into `segment.CHANNELS`) and of the network's width."""

    name: str
    channels: tuple[int, ...]
    width: int = 16

    def net(self) -> MarksNet:
        """The network, with fresh weights."""
        return MarksNet(len(self.channels), self.width)


CANDIDATES = (
    Candidate("ink alone", (0,)),
    Candidate("ink and colour", (0, 2)),
    Candidate("ink and print", (0, 1)),
    Candidate("ink, print and colour", (0, 1, 2)),
    Candidate("ink, print and colour, half as wide", (0, 1, 2), 8),
)


class _Planes(nn.Module):
    """A network that is shown some of the planes."""

    def __init__(self, candidate: Candidate, net: nn.Module) -> None:
        super().__init__()
        self.net, self.channels = net, list(candidate.channels)

    def forward(
        self, x: torch.Tensor, places: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, ...]:
        out: tuple[torch.Tensor, ...] = self.net(x[:, :, self.channels], places)
        return out


def compare(
    examples: list[Example], held: Sequence[Example], steps: int, seed: int = 0
) -> dict[str, dict[str, float]]:
    """Train every candidate for so many steps of six sheets; figures by candidate."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    nets = [_Planes(c, c.net()) for c in CANDIDATES]
    task = replace(TASKS["marks"], steps=steps)
    optimizers = [torch.optim.AdamW(n.parameters(), lr=task.rate, weight_decay=0.02) for n in nets]
    schedules = [
        torch.optim.lr_scheduler.OneCycleLR(o, task.rate, total_steps=steps, pct_start=0.1)
        for o in optimizers
    ]
    for step, batch in enumerate(stream(task, examples, seed, workers=1)):
        if step == steps:
            break
        for net, optimizer, schedule in zip(nets, optimizers, schedules, strict=True):
            with quickest():
                out = net(*batch[: task.shown])
            loss = torch.stack(list(marks_loss(out, batch).values())).sum()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
        if step % 50 == 49:
            print(f"{step + 1}/{steps}", file=sys.stderr, flush=True)
    return {
        c.name: marks_figures(marks_logits(as_network(n), held)) | {"parameters": _size(n)}
        for c, n in zip(CANDIDATES, nets, strict=True)
    }


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
