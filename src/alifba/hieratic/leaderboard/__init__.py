"""The leaderboard of hieratic runs: averages with intervals, tiers, baselines, and the tables of its figures."""

from alifba.hieratic.leaderboard.averages import Entry, Estimate, entries, estimate
from alifba.hieratic.leaderboard.board import leaderboard

__all__ = ["Entry", "Estimate", "entries", "estimate", "leaderboard"]
