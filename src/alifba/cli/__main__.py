"""``python -m alifba.cli`` is ``alifba``."""

from alifba.cli import main

main()
