#!/usr/bin/env python3
"""Compile the stand-in CUDA libraries (see README.md) for the installed TensorFlow."""

from __future__ import annotations

import argparse
import importlib.util
import mmap
import re
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# soname: (our source or None, prefix of the symbols that get a do-nothing stub)
LIBRARIES = {
    "libcuda.so.1": ("driver.c", "cu"),
    "libcudart.so.12": ("runtime.c", "cuda"),
    "libcublas.so.12": ("blas.c", "cublas"),
    "libcublasLt.so.12": ("blas.c", "cublas"),
    "libcudnn.so.9": ("dnn.c", "cudnn"),
    "libcufft.so.11": (None, "cufft"),
    "libcusolver.so.11": (None, "cusolver"),
    "libcusparse.so.12": (None, "cusparse"),
    "libnccl.so.2": (None, "nccl"),
    "libnvidia-ml.so.1": ("nvml.c", "nvml"),
}
STUB_HEAD = """#include <stdio.h>
#include <stdlib.h>
static int stub(const char *name) {
  if (getenv("SIMGPU_TRACE")) fprintf(stderr, "simgpu: %s\\n", name);
  return 0;
}
"""


def symbols_by_prefix(libraries: list[Path]) -> dict[str, set[str]]:
    """Names of CUDA functions that TensorFlow's libraries look up by name, by prefix."""
    prefixes = sorted({prefix for _, prefix in LIBRARIES.values()}, key=len, reverse=True)
    pattern = re.compile(rb"\x00((?:__)?(?:" + "|".join(prefixes).encode() + rb")[A-Z_][A-Za-z0-9_]*)(?=\x00)")
    found: dict[str, set[str]] = {prefix: set() for prefix in prefixes}
    for library in libraries:
        with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            for match in pattern.finditer(data):
                name = match.group(1).decode()
                bare = name.removeprefix("__")
                prefix = next(p for p in prefixes if re.match(p + r"[A-Z_]", bare))
                found[prefix].add(name)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the libraries")
    parser.add_argument("--without", action="append", default=[], choices=LIBRARIES, help="leave one out")
    arguments = parser.parse_args()
    tensorflow = Path(importlib.util.find_spec("tensorflow").origin).parent
    symbols = symbols_by_prefix(sorted(tensorflow.glob("libtensorflow_*.so.2")))
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for soname, (source, prefix) in LIBRARIES.items():
            target = arguments.out / soname
            if soname in arguments.without:
                target.unlink(missing_ok=True)
                continue
            stubs = Path(scratch, f"{soname}.c")
            stubs.write_text(
                STUB_HEAD
                + "".join(
                    f'__attribute__((weak)) int {name}() {{ return stub("{name}"); }}\n'
                    for name in sorted(symbols[prefix])
                )
            )
            sources = [str(stubs)] + ([str(HERE / source)] if source else [])
            subprocess.run(
                ["cc", "-w", "-O1", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", str(target), *sources],
                check=True,
            )
    print(arguments.out)


if __name__ == "__main__":
    main()
