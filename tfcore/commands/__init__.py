"""The commands of `python -m tfcore`, one module each."""
