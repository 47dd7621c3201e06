"""A published model goes on being trained as if it were a checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kdscan.errors import UsageError

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

pytestmark = pytest.mark.torch


def warm(net: Any, pictures: Any) -> Any:
    """The network after its norms have seen something."""
    with torch.no_grad():
        net.train()(pictures)
    return net.eval()


@pytest.mark.parametrize(
    ("name", "kind", "shape"),
    [("marks", "MarksNet", (2, 35, 3, 160, 160)), ("refine", "RefineNet", (4, 3, 224, 288))],
)
def test_it_says_what_it_said_and_its_norms_fit_what_they_see(
    tmp_path: Path, name: str, kind: str, shape: tuple[int, ...]
) -> None:
    from kdscan.training import networks
    from kdscan.training.export import to_onnx
    from kdscan.training.restore import restore

    torch.manual_seed(1)
    make = getattr(networks, kind)
    pictures = torch.rand(shape)
    published = warm(make(), pictures)
    path = tmp_path / "model.onnx"
    path.write_bytes(to_onnx(name, published, "1"))

    again = restore(make(), path, [pictures])
    with torch.no_grad():
        said, restored = published(pictures), again(pictures)
        trained_on = again.train()(pictures)
    for before, after, learning in zip(said, restored, trained_on, strict=True):
        near = 0.02 * float(before.abs().max())
        assert torch.allclose(before, after, atol=near)
        if name == "refine":  # the other one drops some of what it knows while it is trained
            assert torch.allclose(before, learning, atol=near)


def test_another_network_is_refused(tmp_path: Path) -> None:
    from kdscan.training.export import to_onnx
    from kdscan.training.networks import MarksNet, RefineNet
    from kdscan.training.restore import restore

    path = tmp_path / "model.onnx"
    path.write_bytes(to_onnx("refine", RefineNet(), "1"))
    with pytest.raises(UsageError, match="another network than MarksNet"):
        restore(MarksNet(), path, [torch.rand(1, 35, 3, 160, 160)])
