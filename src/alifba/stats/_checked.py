"""Checks of arguments that the modules of this package share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from alifba.errors import InputError

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
NumberArray = NDArray[np.number[Any]]


def integers(values: ArrayLike, name: str, ndim: int) -> IntArray:
    """`values` as int64 with `ndim` axes; anything that is not whole is refused, never rounded."""
    array = np.asarray(values)
    if array.ndim != ndim:
        raise InputError(f"{name} must have {ndim} axis(es), the last one over items", value=array.shape)
    refused = _not_whole(array)
    if refused:
        raise InputError(
            f"{name} must be whole numbers",
            value=refused[0],
            likely="a share (token F1, accuracy) where a score per item is expected, or a missing score",
            next_step="pass per-item integer scores; leave unscored items out and count them",
        )
    return array.astype(np.int64)


def _not_whole(array: NDArray[Any]) -> list[object]:
    if array.dtype.kind in "iub":
        return []
    if array.dtype.kind == "f":
        return list(array[~np.isfinite(array) | (array != np.rint(array))].tolist())
    return list(array.ravel().tolist())


def binary(values: ArrayLike, name: str, ndim: int) -> IntArray:
    """`values` as int64 scores that are all 0 or 1."""
    array = integers(values, name, ndim)
    if np.any((array != 0) & (array != 1)):
        raise InputError(
            f"{name} must be 0 or 1",
            value=int(array[(array != 0) & (array != 1)][0]),
            likely="scores in halves (0, 1, 2)",
            next_step="use exact_signflip_p on the differences",
        )
    return array


def same_shape(a: NDArray[np.generic], b: NDArray[np.generic], names: str) -> None:
    """Refuse two arrays that cannot be the same items."""
    if a.shape != b.shape:
        raise InputError(
            f"{names} differ in shape: {a.shape} and {b.shape}",
            likely="items that only one of them has",
            next_step="intersect the items by id first",
        )


def generator(rng: np.random.Generator) -> np.random.Generator:
    """`rng` itself; a seed or the global state is refused, so that no draw escapes the caller's seed."""
    if not isinstance(rng, np.random.Generator):
        raise InputError(
            "randomness comes from a numpy Generator",
            value=rng,
            next_step="pass numpy.random.default_rng(seed) and record the seed",
        )
    return rng


def confidence_level(level: float) -> float:
    """`level` as a share strictly between 0 and 1."""
    if not 0 < level < 1:
        raise InputError("a level lies between 0 and 1", value=level, likely="percent instead of a share")
    return float(level)


def draws(number: int, name: str) -> int:
    """A number of random draws, at least one."""
    if number < 1:
        raise InputError(f"{name} must be at least 1", value=number)
    return int(number)
