"""``python -m alifba.azeval.pilot`` writes data/azeval/pilot.jsonl and its third anew."""

from alifba.azeval.pilot.build import write_pilot
from alifba.azeval.pilot.third import write_third
from alifba.paths import repo_root

if __name__ == "__main__":
    folder = repo_root() / "data" / "azeval"
    write_pilot(folder / "pilot.jsonl")
    write_third(folder / "pilot.jsonl", folder / "pilot-third.jsonl")
