"""The pilot dataset: question templates over facts that this repository may ship. No person has verified its items."""

from alifba.azeval.pilot.build import build_pilot, write_pilot

__all__ = ["build_pilot", "write_pilot"]
