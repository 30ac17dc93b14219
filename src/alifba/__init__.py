"""alifba: measure how well language models serve under-served languages and scripts."""

__version__ = "0.1.0"
