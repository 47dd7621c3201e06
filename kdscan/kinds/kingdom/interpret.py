"""Evidence of one kingdom → reading. No pixels are needed from here on."""

from __future__ import annotations

from kdscan.kinds.kingdom.decode import decode_kingdoms
from kdscan.records import KingdomEvidence, KingdomReading


def interpret(evidence: KingdomEvidence, risk: float) -> KingdomReading:
    """As `decode_kingdoms`, of a kingdom alone."""
    (found,) = decode_kingdoms([evidence], risk)
    return found
