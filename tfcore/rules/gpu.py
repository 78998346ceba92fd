"""Rules about the GPU itself: its compute capability, its memory, and compiling code for it."""

from __future__ import annotations

import re

from tfcore.devices import Unavailable
from tfcore.evidence import GpuMemory
from tfcore.rules import steps
from tfcore.rules.base import Case, Certainty, Lines, Rule, Step, either, signs, unless

BUILDS = "https://www.tensorflow.org/install/pip#hardware_requirements"
CAPABILITIES = "https://developer.nvidia.com/cuda-gpus"
BLACKWELL = "https://github.com/tensorflow/tensorflow/issues/89272"
MEMORY = "https://www.tensorflow.org/guide/gpu#limiting_gpu_memory_growth"
LIBDEVICE = "https://github.com/tensorflow/tensorflow/issues/58681"
LITTLE_BYTES = 512 * 2**20
LITTLE_MB = 256
OLD_CAPABILITY = 6.0
KNOWN_TO_FAIL = 10.0  # Blackwell, with wheels from pip


def _number(capability: str) -> float:
    """Read "12.0a", "sm_89" or "compute_90" as 12.0, 8.9 and 9.0."""
    found = re.search(r"(\d+)\.(\d+)|(?:sm|compute)_(\d+)(\d)", capability)
    if not found:
        return 0.0
    return float(".".join(found.groups()[:2] if found[1] else found.groups()[2:]))


def _listed(case: Case) -> list[tuple[str, float]]:
    answer = case.evidence.tensorflow
    return (
        [] if isinstance(answer, Unavailable) else [(gpu.model, _number(gpu.compute_capability)) for gpu in answer.gpus]
    )


def _range(case: Case) -> tuple[float, float]:
    """Give the lowest and the highest capability that this TensorFlow has kernels for."""
    answer = case.evidence.tensorflow
    known = [] if isinstance(answer, Unavailable) else [_number(each) for each in answer.capabilities]
    return (min(known), max(known)) if known else (OLD_CAPABILITY, 0.0)


def _own(case: Case, wrong: bool) -> Lines:
    """Say which GPUs are below what was compiled in, or (`wrong` is False) above it."""
    low, high = _range(case)
    compiled = f"compiled for {low} to {high}" if high else ""
    return tuple(
        f"{model}: compute capability {has}; {compiled}"
        for model, has in _listed(case)
        if has and high and (has < low if wrong else has > high)
    )


def _too_old(case: Case) -> Lines:
    own = _own(case, wrong=True)
    old = tuple(seen.text for seen in case.signs.get("jit") if 0 < _number(seen.groups.get("has", "")) < OLD_CAPABILITY)
    return own + case.lines("too_old") + old + (case.lines("no_kernel_image") if _made_of_old(case) else ())


def _made_of_old(case: Case) -> bool:
    """Whether a device was made of a GPU that is older than wheels have had kernels for."""
    made = [_number(seen.groups["cc"]) for seen in case.signs.get("created") if "cc" in seen.groups]
    return bool(made) and max(made) < OLD_CAPABILITY


def _too_old_cause(case: Case) -> str:
    has, wants = case.word("too_old", "has") or case.word("jit", "has"), case.word("too_old", "wants")
    named = f" (its compute capability is {has}{f', and at least {wants} is needed' if wants else ''})" if has else ""
    return f"The GPU is too old for this TensorFlow{named}: it was built for newer ones only."


def _new_lines(case: Case, at_least: float = OLD_CAPABILITY) -> list[str]:
    return [seen.text for seen in case.signs.get("jit") if _number(seen.groups.get("has", "")) >= at_least]


def _too_new(case: Case) -> Lines:
    """Kernels have to be compiled, and there is reason to expect that this fails."""
    failed = case.lines("bad_ptx") + (() if _made_of_old(case) else case.lines("no_kernel_image"))
    newest = _new_lines(case, KNOWN_TO_FAIL)
    return (*_own(case, wrong=False), *newest, *failed) if newest or failed else ()


def _too_new_cause(case: Case) -> str:
    has = case.word("jit", "has")
    named = f" (compute capability {has})" if has else ""
    if not has and case.lines("no_kernel_image"):
        return ("This TensorFlow has no code for the GPU: it is newer, or older, than the compute capabilities that "
                "TensorFlow was built for.")  # fmt: skip
    return (f"The GPU is newer than this TensorFlow{named}: there are no kernels for it, and compiling them from PTX on the "
            "first call takes long or fails (invalid PTX, invalid handle), as it does for Blackwell GPUs with wheels from "
            "pip.")  # fmt: skip


def _slow_start(case: Case) -> Lines:
    return tuple(_new_lines(case)) if not _too_new(case) else ()


def _memory_lines(case: Case) -> Lines:
    free = case.first("free_memory")
    little = [free.text] if free and _free_bytes(free.groups) < LITTLE_BYTES else []
    tiny = [
        seen.text for seen in case.signs.get("created")
        if int(seen.groups.get("mb", LITTLE_MB)) < LITTLE_MB and not case.signs.get("plugin")
    ]  # fmt: skip
    asked = case.lines("no_memory", "cudnn_handle") if not case.signs.get("allocator_full") else ()
    if not (tiny or little or asked or case.said("cuda_error_out_of_memory")):
        return ()
    held = [f"{gpu.name}: {gpu.free_bytes / 2**20:,.0f} of {gpu.total_bytes / 2**20:,.0f} MB free{_holders(gpu)}"
            for gpu in _nearly_full(case)]  # fmt: skip
    return (*held, *tiny, *little, *asked, *case.said("cuda_error_out_of_memory"))


def _nearly_full(case: Case) -> list[GpuMemory]:
    memory = case.machine.memory
    listed = () if isinstance(memory, Unavailable) else memory
    return [gpu for gpu in listed if 0 <= gpu.free_bytes < LITTLE_BYTES or gpu.free_bytes > gpu.total_bytes]


def _holders(gpu: GpuMemory) -> str:
    named = ", ".join(f"{each.name} ({each.owner}, {each.pid})" for each in gpu.holders[:3])
    return f"; held by {named}" if named else ""


def _free_bytes(groups: dict[str, str]) -> float:
    number, unit = groups.get("free") or groups.get("free2", "0"), (groups.get("fu") or groups.get("fu2", "m")).lower()
    return float(number) * (2**30 if unit == "g" else 2**20)


def _memory_cause(case: Case) -> str:
    held = [each for gpu in _nearly_full(case) for each in gpu.holders]
    who = f": {held[0].name} of {held[0].owner} (process {held[0].pid})" if held else ", or the display"
    return (f"The GPU’s memory is nearly all taken by another process{who}, so TensorFlow cannot have what it asks for. By "
            "default it asks for nearly all of it.")  # fmt: skip


def _memory_certainty(case: Case) -> Certainty:
    free = case.first("free_memory")
    return "certain" if _nearly_full(case) or (free and _free_bytes(free.groups) < LITTLE_BYTES) else "likely"


def _libdevice_fix(case: Case) -> tuple[Step, ...]:
    conda = (Step("In conda, install nvcc of the same CUDA version, and point XLA at it.",
                  "conda install -c conda-forge cuda-nvcc && export XLA_FLAGS=--xla_gpu_cuda_data_dir=$CONDA_PREFIX"),)  # fmt: skip
    other = (
        Step("Install nvcc, which brings libdevice.", "python -m pip install nvidia-cuda-nvcc-cu12"),
        Step("Or point XLA at the CUDA toolkit that holds nvvm/libdevice.",
             "export XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda"),
    )  # fmt: skip
    return conda + other if case.in_conda else other + conda


RULES = (
    Rule("capability_too_old", _too_old, _too_old_cause, steps.older_build, CAPABILITIES,
         explains=("slow_first_call", "capability_too_new", "no_device", "built_without_cuda")),
    Rule("too_few_multiprocessors", signs("few_cores"),
         "TensorFlow leaves this GPU out because it is much smaller than another one in the machine: it has fewer "
         "multiprocessors than the minimum.",
         lambda case: (Step("Lower the minimum to what it has.",
                            f"export TF_MIN_GPU_MULTIPROCESSOR_COUNT={case.word('few_cores', 'has') or 1}"),), BUILDS, usable=None),
    Rule("capability_too_new", _too_new, _too_new_cause, steps.newer_build, BLACKWELL, certainty="likely",
         explains=("slow_first_call",)),
    Rule("slow_first_call", _slow_start,
         "This TensorFlow has no compiled kernels for this GPU, which is newer than its list. It works, but the first calls "
         "compile them from PTX, which may take half an hour.",
         lambda case: (
             Step("Wait once. The result is kept, if there is room for it.", "export CUDA_CACHE_MAXSIZE=4294967296"),
             *steps.newer_build(case)[:2],
         ), BUILDS, usable=True),
    Rule("ptxas_too_old", signs("ptxas_old"),
         "The ptxas that is found first on PATH belongs to a CUDA toolkit too old for this GPU, so XLA lets the driver compile "
         "instead, which is slower or fails.",
         lambda _: (Step("Put the ptxas of a CUDA toolkit that knows the GPU first on PATH.",
                         "which -a ptxas && ptxas --version && export PATH=/usr/local/cuda/bin:$PATH"),
                    Step("Or install a matching one.", "python -m pip install --upgrade nvidia-cuda-nvcc-cu12")),
         LIBDEVICE, usable=None),
    Rule("libdevice_missing", signs("libdevice"),
         "XLA cannot find libdevice (nvvm/libdevice/libdevice.10.bc) of the CUDA toolkit. The GPU is seen, but what XLA "
         "compiles fails: Keras training with jit_compile, for one.",
         _libdevice_fix, LIBDEVICE, explains=("ptxas_missing",)),
    Rule("ptxas_missing", signs("no_ptxas"),
         "XLA finds no ptxas (the assembler of the CUDA toolkit) and no other way to compile PTX for the GPU.",
         lambda case: (Step("Install nvcc, which brings ptxas, and put it on PATH.",
                            "python -m pip install nvidia-cuda-nvcc-cu12 nvidia-nvjitlink-cu12"),
                       *_libdevice_fix(case)[1:]), LIBDEVICE),
    Rule("memory_held", unless(_memory_lines, lambda case: case.lines("cudnn_versions")), _memory_cause, steps.free_memory,
         MEMORY, certainty=_memory_certainty),
    Rule("cublas_failed", unless(signs("cublas_failed"), signs("no_memory", "cudnn_handle")),
         "The GPU is seen, and a matrix multiplication on it failed (cuBLAS). Either its memory is taken, or it is newer than the "
         "CUDA in use: GPUs of compute capability 8.x (Ampere) need CUDA 11 or later, which TensorFlow has since 2.4.",
         lambda case: (*steps.free_memory(case)[:2], *steps.newer_build(case)[:1]), MEMORY, certainty="possible"),
    Rule("zlib_missing", signs("zlib"),
         "cuDNN 8.3 and later need zlibwapi.dll on Windows, which is not on PATH.",
         lambda _: (Step("Put zlibwapi.dll (64 bit) in a folder on PATH, as NVIDIA’s guide to cuDNN on Windows says."),),
         "https://docs.nvidia.com/deeplearning/cudnn/"),
    Rule("failed_in_use", signs("failed_in_use"),
         "TensorFlow sees the GPU, and a computation on it failed. The lines below say how.",
         lambda _: (Step("See whether the driver reports a fault of the GPU (Xid).", "sudo dmesg | grep -i -e xid -e nvrm | tail"),
                    Step("Try it with a smaller batch, alone on the GPU, and with a newer driver.")),
         "https://docs.nvidia.com/deploy/xid-errors/", certainty="possible", usable=True, explains=("nothing_wrong",)),
    Rule("memory_too_small", unless(signs("allocator_full"), either(signs("cudnn_versions"))),
         "The GPU works; the model or the batch needs more memory than is left on it.",
         lambda case: (Step("Use a smaller batch or a smaller model, or half precision."), *steps.free_memory(case)[:2]),
         MEMORY, certainty="likely", usable=True),
)  # fmt: skip
