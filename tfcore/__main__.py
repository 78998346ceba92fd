"""The dashboard's tasks without a browser: python -m tfcore COMMAND."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence

import msgspec

from tfcore.devices import Inventory, in_one_sentence
from tfcore.errors import LabError, SettingsError
from tfcore.runtime.backend import Backend
from tfcore.settings import Settings, check_limit_fits, parse_gpus, parse_memory

Command = Callable[[Backend, Settings, argparse.Namespace], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Give 0, 1 if it failed, or 2 if it was asked for something that cannot be."""
    options = parser().parse_args(arguments)
    command: Command = options.command
    backend = Backend()
    try:
        command(backend, _settings(options), options)
    except LabError as error:
        print(f"tfcore: {error}", *filter(None, [error.log]), sep="\n", file=sys.stderr)
        return 2 if isinstance(error, SettingsError) else 1
    except KeyboardInterrupt:
        return 130
    finally:
        backend.close()
    return 0


def parser() -> argparse.ArgumentParser:
    """Describe the commands and the options that all of them share."""
    shared = argparse.ArgumentParser(add_help=False)
    group = shared.add_argument_group("settings")
    group.add_argument("--gpus", default="all", help="visible GPUs: all, none, or indices such as 0,1")
    group.add_argument("--memory", default="growth", help="GPU memory: growth, all, or limit:MB")
    group.add_argument("--strict", action="store_true", help="turn soft placement off")
    group.add_argument("--cpu-devices", type=int, default=1, metavar="N", help="logical CPU devices")
    shared.add_argument("--json", action="store_true", help="print JSON")
    top = argparse.ArgumentParser(prog="python -m tfcore", description=__doc__)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    found = commands.add_parser("devices", parents=[shared], help="what TensorFlow sees and may use")
    found.set_defaults(command=devices)
    return top


def devices(backend: Backend, settings: Settings, options: argparse.Namespace) -> None:
    """Print what TensorFlow sees, and what the settings make of it."""
    inventory = backend.runtime(settings).result()
    check_limit_fits(settings, inventory.gpu_memory_mb)
    if options.json:
        print(json.dumps({"settings": msgspec.to_builtins(settings)} | msgspec.to_builtins(inventory), indent=2))
    else:
        print(_in_words(inventory))


def _settings(options: argparse.Namespace) -> Settings:
    memory, limit_mb = parse_memory(options.memory)
    return Settings(parse_gpus(options.gpus), memory, limit_mb, not options.strict, options.cpu_devices)


def _in_words(inventory: Inventory) -> str:
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


if __name__ == "__main__":
    sys.exit(main())
