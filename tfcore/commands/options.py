"""The options that all commands share."""

from __future__ import annotations

import argparse

from tfcore.settings import Settings, parse_gpus, parse_memory


def shared() -> argparse.ArgumentParser:
    """Give a parent parser with the settings' options."""
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("settings")
    group.add_argument("--gpus", default="all", help="visible GPUs: all, none, or indices such as 0,1")
    group.add_argument("--memory", default="growth", help="GPU memory: growth, all, or limit:MB")
    group.add_argument("--strict", action="store_true", help="turn soft placement off")
    group.add_argument("--cpu-devices", type=int, default=1, metavar="N", help="logical CPU devices")
    return parser


def settings(options: argparse.Namespace) -> Settings:
    """Read the settings from the options. Raise SettingsError if they cannot be meant."""
    memory, limit_mb = parse_memory(options.memory)
    return Settings(parse_gpus(options.gpus), memory, limit_mb, not options.strict, options.cpu_devices)
