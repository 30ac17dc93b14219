"""What this machine can compute with, found out by trying before a model is loaded."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import torch

from alifba.errors import InputError

# Mean error of weights, in their standard deviations: sixteen levels leave about 0.07, wrong kernels about 1.
_NF4_ERROR = 0.12


@dataclass(frozen=True)
class Precision:
    """Numbers a model computes with. `label` is part of a run's identity; `double`, only for nf4, says whether the
    scales of the 4-bit blocks are quantised too."""

    label: str
    dtype: torch.dtype
    double: bool | None = None

    @property
    def quantised(self) -> bool:
        """Whether weights are made 4-bit ones when they are loaded."""
        return self.double is not None

    def quantization(self) -> Any:
        """The configuration that makes transformers load 4-bit weights; None for the other precisions."""
        if not self.quantised:
            return None
        from transformers import BitsAndBytesConfig

        return BitsAndBytesConfig(  # type: ignore[no-untyped-call]
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=self.double,
            bnb_4bit_compute_dtype=self.dtype,
        )


def settle() -> None:
    """Make torch's first vector function run on one thread. Call it before the first pass of a model.

    Where the first call of a process runs on several threads at once, MKL can give one of them cosines that are right
    to three digits only; they turn the positions of half a prompt (seen in one process of ten, torch 2.13). The same
    run then gives other answers now and then. One call on one thread sets the functions up.
    """
    torch.cos(torch.zeros(1))


def device() -> str:
    """ "cuda" where there is a GPU, else "cpu"."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def probe(declared: str, where: str) -> Precision:
    """The declared precision (``bfloat16``, ``float16``, ``float32``, ``nf4``) on the device `where`.

    nf4 computes in bfloat16 where the device has it and in float16 otherwise, and quantises its scales too where that
    works; its label tells both: ``nf4-double-bfloat16``.

    Raises:
        InputError: the device cannot do it; the message says what it can do.
    """
    if declared == "nf4":
        return _nf4(where)
    dtype: torch.dtype = getattr(torch, declared)
    if why := _why_not(dtype, where):
        raise InputError(
            f"this machine cannot compute in {declared} on {where}",
            value=why,
            next_step="declare one of these: " + ", ".join(_usable(where)),
        )
    return Precision(declared, dtype)


def _why_not(dtype: torch.dtype, where: str) -> str | None:
    """Why `where` cannot multiply matrices of `dtype`; None where it can."""
    if where == "cuda" and dtype is torch.bfloat16 and not torch.cuda.is_bf16_supported(including_emulation=False):
        return f"{torch.cuda.get_device_name()} has no bfloat16"
    try:
        ones = torch.ones(8, 8, dtype=dtype, device=where)
        right = bool(((ones @ ones) == 8).all())
    except RuntimeError as fault:
        return str(fault).split("\n")[0]
    return None if right else "its product of two matrices of ones is wrong"


def _usable(where: str) -> list[str]:
    return [name for name in ("bfloat16", "float16", "float32") if _why_not(getattr(torch, name), where) is None]


def _nf4(where: str) -> Precision:
    # It warns of a kernel package that it would load from the hub; what it does without is what is measured here.
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    try:
        import bitsandbytes
    except Exception as fault:
        # Not only ImportError: a build that does not fit the GPU's driver raises whatever its loading leads to.
        raise InputError(
            "bitsandbytes, which nf4 needs, cannot be loaded",
            value=f"{type(fault).__name__}: {fault}",
            next_step="make local, or declare one of these: " + ", ".join(_usable(where)),
        ) from None
    dtype = torch.bfloat16 if _why_not(torch.bfloat16, where) is None else torch.float16
    why = None
    for double in (True, False):
        why = _nf4_fault(bitsandbytes, dtype, where, double)
        if why is None:
            name = str(dtype).removeprefix("torch.")
            return Precision(f"nf4{'-double' if double else ''}-{name}", dtype, double)
    raise InputError(
        f"bitsandbytes {bitsandbytes.__version__} cannot do nf4 on {where}",
        value=why,
        next_step="declare one of these: " + ", ".join(_usable(where)),
    )


def _nf4_fault(bitsandbytes: Any, dtype: torch.dtype, where: str, double: bool) -> str | None:
    """What is wrong with nf4 on `where`: its error on random weights, or what it raises; None if nothing."""
    weights = torch.randn(256, 256, generator=torch.Generator().manual_seed(0))
    ones = torch.eye(256, dtype=dtype, device=where)
    try:
        layer = bitsandbytes.nn.Linear4bit(
            256, 256, bias=False, compute_dtype=dtype, compress_statistics=double, quant_type="nf4"
        )
        layer.load_state_dict({"weight": weights})
        with torch.inference_mode():
            seen = layer.to(where)(ones).float().cpu().T
    except Exception as fault:
        return f"{type(fault).__name__}: {fault}".split("\n")[0]
    error = float((seen - weights).abs().mean())
    return None if error < _NF4_ERROR else f"its weights are off by {error:.3f} standard deviations on average"
