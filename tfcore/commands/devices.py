"""python -m tfcore devices: what TensorFlow sees and may use."""

from __future__ import annotations

import argparse
import json

import msgspec

from tfcore.devices import Inventory, in_one_sentence
from tfcore.runtime.backend import Backend
from tfcore.settings import Settings, check_limit_fits


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser) -> None:
    """Describe the command."""
    parser = commands.add_parser("devices", parents=[shared], help="what TensorFlow sees and may use")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(command=run)


def run(backend: Backend, settings: Settings, options: argparse.Namespace) -> None:
    """Print what TensorFlow sees, and what the settings make of it."""
    inventory = backend.runtime(settings).result()
    check_limit_fits(settings, inventory.gpu_memory_mb)
    if options.json:
        print(json.dumps({"settings": msgspec.to_builtins(settings)} | msgspec.to_builtins(inventory), indent=2))
    else:
        print(in_words(inventory))


def in_words(inventory: Inventory) -> str:
    """Describe an inventory for a terminal."""
    rows = [in_one_sentence(inventory), "", "Physical devices"]
    for found in inventory.physical:
        size = f"{found.memory_mb:,} MB" if found.memory_mb else str(found.memory_bytes)
        hidden = "" if found.visible else " (not visible)"
        rows.append(f"  {found.type}:{found.index}  {found.model}, {size}{hidden}")
    rows += ["", "Logical devices"]
    for made in inventory.logical:
        limit = f", {made.memory_limit_mb:,} MB" if isinstance(made.memory_limit_mb, int) else ""
        rows.append(f"  {made.short_name}  on {made.physical}{limit}")
    versions = inventory.software
    rows += ["", f"TensorFlow {versions.tensorflow}, Python {versions.python}"]
    rows += [f"CUDA {versions.cuda}, cuDNN {versions.cudnn}, NVIDIA driver {versions.nvidia_driver}"]
    return "\n".join(rows)
