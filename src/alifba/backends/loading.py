"""Load a causal language model: safetensors and GGUF only, in the declared precision, 4-bit weights included."""

from __future__ import annotations

from typing import Any

import torch
import transformers

from alifba.backends.encoding import cannot_load, where
from alifba.backends.precision import Precision, settle
from alifba.backends.sources import Weights
from alifba.errors import InputError


def load(weights: Weights, precision: Precision, on: str, trust_remote_code: bool = False) -> tuple[Any, str]:
    """The model on the device `on`, and the label of what it computes in: the precision's, and ``-from-gguf`` or
    ``-from-<method>`` where its weights are quantised already. Reads safetensors and GGUF only.

    Raises:
        InputError: transformers cannot load it, or it is quantised already and should be once more.
    """
    settle()
    given: dict[str, Any] = {"trust_remote_code": trust_remote_code, **where(weights)}
    try:
        before = "gguf" if weights.gguf else _quantised_before(weights, given)
        if weights.gguf:
            given["quantization_config"] = transformers.GgufConfig(dequantize=True)
        elif before and precision.quantised:
            raise InputError(f"the weights are quantised already, by {before}", next_step="declare another precision")
        else:
            given |= {"use_safetensors": True, "quantization_config": precision.quantization()}
            given |= {"device_map": {"": on}} if before or precision.quantised else {}
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(weights.folder, dtype=precision.dtype, **given)
    except (OSError, ValueError, ImportError) as fault:
        raise cannot_load("model", weights, fault) from None
    if weights.gguf and precision.quantised:
        model = _quantised(model, precision, on)
    elif "device_map" not in given:
        model = model.to(on)
    if precision.quantised:
        _refuse_unless_it_runs(model, precision, on)
    return model.eval(), precision.label + (f"-from-{before}" if before else "")


def _quantised_before(weights: Weights, given: dict[str, Any]) -> str | None:
    """By which method the weights of a folder or a hub model are quantised as they come."""
    how = getattr(transformers.AutoConfig.from_pretrained(weights.folder, **given), "quantization_config", None)
    return str(how["quant_method"]) if how else None


def _quantised(model: Any, precision: Precision, on: str) -> Any:
    """`model`, in full precision in memory, with 4-bit weights."""
    small = type(model).from_pretrained(
        None,
        config=model.config,
        state_dict=model.state_dict(),
        quantization_config=precision.quantization(),
        dtype=precision.dtype,
        device_map={"": on},
    )
    small.generation_config = model.generation_config
    return small


def _refuse_unless_it_runs(model: Any, precision: Precision, on: str) -> None:
    """4-bit kernels want layers of certain widths, and find out in the first pass."""
    try:
        with torch.inference_mode():
            model(input_ids=torch.tensor([[0]], device=on))
    except Exception as fault:
        raise InputError(
            f"the model cannot be run in {precision.label} on {on}",
            value=f"{type(fault).__name__}: {fault}",
            likely="the widths of its layers are no multiples of what the 4-bit kernels take at once",
            next_step="declare another precision",
        ) from None
