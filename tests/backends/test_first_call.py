"""The first cosines of a process that loads a model: as exact as the later ones, on every thread."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="needs the extra 'local'")
pytest.importorskip("transformers", reason="needs the extra 'local'")

from alifba.backends import loading
from alifba.backends.precision import probe
from alifba.backends.sources import Weights

# The angles are those of a prompt of 160 tokens, made by one thread: the cosines are what starts the other. The
# reference is the same cosine in double precision.
FIRST = """
import torch
from alifba.backends.precision import settle
settle()
angles = torch.arange(160).float()[:, None] * (1e-4 ** (torch.arange(128) / 128.0))[None, :]
angles = torch.cat([angles, angles], -1)
print((angles.cos().double() - angles.double().cos()).abs().max().item())
"""


@pytest.mark.slow
def test_the_first_cosines_of_a_process_are_exact_on_every_thread():
    """Without the first line, one process of about ten is right to three digits only (two threads, torch 2.13)."""
    for _ in range(20):
        done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True, timeout=120)
        assert float(done.stdout) < 1e-6, "float32 keeps seven digits"


def test_they_are_settled_before_a_model_is_read(monkeypatch):
    class Read(Exception):
        pass

    def read(*_given, **_more):
        raise Read

    done = []
    monkeypatch.setattr(loading, "settle", lambda: done.append("settled"))
    monkeypatch.setattr(loading.transformers.AutoModelForCausalLM, "from_pretrained", read)
    with pytest.raises(Read):
        loading.load(Weights("folder", "m.gguf", "sha256:0"), probe("float32", "cpu"), "cpu")
    assert done == ["settled"]
