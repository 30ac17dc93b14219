"""``python -m alifba.azeval.pilot`` writes data/azeval/pilot.jsonl anew."""

from alifba.azeval.pilot.build import write_pilot
from alifba.paths import repo_root

if __name__ == "__main__":
    write_pilot(repo_root() / "data" / "azeval" / "pilot.jsonl")
