"""Rules about the CUDA libraries that TensorFlow opens."""

from __future__ import annotations

import re

from tfcore.devices import Unavailable
from tfcore.log_signs import Seen
from tfcore.rules import steps
from tfcore.rules.base import Case, Lines, Rule, Step, signs, unless
from tfcore.tested_builds import belongs_to, minor

TESTED = "https://www.tensorflow.org/install/source#gpu"
PIP = "https://www.tensorflow.org/install/pip#linux"
CUDNN9 = "https://github.com/tensorflow/tensorflow/issues/62412"
PLUGINS = "https://github.com/tensorflow/tensorflow/issues/63362"
# TensorFlow lives without these, or they are the driver's own
_NOT_THESE = re.compile(
    r"nvinfer|nvidia-ml|cupti|nccl|libcuda\.so|nvcuda|tensorrt|rocm|amdhip|libtpu|libffi|libgl", re.IGNORECASE
)
_CUDA = re.compile(r"cu(?:dart|blas|dnn|fft|rand|solver|sparse|pti|da)|nvrtc|nvjitlink|cublas", re.IGNORECASE)

# TensorFlow before 1.2 made a device without cuDNN too, and failed at its first use
_OPTIONAL_THEN = re.compile(r"couldn't open cuda library (?:lib)?cudnn", re.IGNORECASE)


def _missing(case: Case) -> tuple[Seen, ...]:
    """Give the lines about CUDA libraries that could not be opened; after a device was made, only what follows it."""
    made = case.first("created")
    return tuple(
        seen
        for seen in case.signs.get("missing")
        if _CUDA.search(_library(seen)) and not _NOT_THESE.search(_library(seen))
        and (not made or seen.line > made.line or _OPTIONAL_THEN.search(seen.text))
    )  # fmt: skip


def _library(seen: Seen) -> str:
    return seen.groups.get("lib") or seen.groups.get("direct", "")


def _own_missing(case: Case) -> tuple[tuple[str, str], ...]:
    """Give what this machine's loader says: (library, reason)."""
    libraries = case.machine.libraries
    answer = case.evidence.tensorflow
    cuda = isinstance(answer, Unavailable) or answer.built_with_cuda
    if isinstance(libraries, Unavailable) or case.sees_gpu or not cuda:
        return ()
    return tuple((each.name, each.reason) for each in libraries if each.reason and not _NOT_THESE.search(each.name))


def _told(name: str, reason: str) -> str:
    """Join a library and the loader's reason, which mostly begins with a name itself."""
    return reason if reason.startswith(name) else f"{name}: {reason}"


def _names(case: Case) -> list[str]:
    found = [name for name, _ in _own_missing(case)] or [_library(seen) for seen in _missing(case)]
    return list(dict.fromkeys(found))


def _plain_missing(case: Case) -> Lines:
    own = tuple(_told(name, reason) for name, reason in _own_missing(case))
    return own or tuple(seen.text for seen in _missing(case))


def _other_file(seen: Seen) -> str:
    """Give the file that the loader really misses, where it is not the one asked for."""
    asked, reason = _library(seen), seen.groups.get("dlerror", "")
    named = re.match(r"([\w.+-]+\.so[.\d]*):", reason)
    return named[1] if named and named[1] != asked else ""


def _dependency(case: Case) -> tuple[tuple[str, str], ...]:
    """Give the libraries that are there while something that they need is not: (library, what it needs)."""
    own = [(name, m[1]) for name, reason in _own_missing(case)
           if (m := re.match(r"([\w.+-]+\.so[.\d]*):", reason)) and m[1] != name]  # fmt: skip
    told = [(_library(seen), other) for seen in _missing(case) if (other := _other_file(seen))]
    return tuple(dict.fromkeys(own or told))


def _dependency_lines(case: Case) -> Lines:
    return _plain_missing(case) if _dependency(case) else ()


def _dependency_cause(case: Case) -> str:
    library, other = _dependency(case)[0]
    wanted, has = belongs_to(library), belongs_to(other)
    mixed = f" It was probably taken from {has}, which does not fit the rest." if has and has != wanted else ""
    return f"{library} is there, but {other}, which it needs, is not: so it cannot be loaded.{mixed}"


def _dependency_fix(case: Case) -> tuple[Step, ...]:
    library, other = _dependency(case)[0]
    package = "nvidia-nvjitlink-cu12" if "nvjitlink" in other.lower() else ""
    return (
        Step(f"Put the folder of the {library} that fits TensorFlow’s CUDA first in LD_LIBRARY_PATH, and see what it needs.",
             f"ldd $(ldconfig -p | awk '/{library}/ {{print $NF; exit}}') | grep 'not found'"),
        Step(f"Or install what has {other}.", f"python -m pip install {package}" if package else ""),
        *steps.cuda_libraries(case),
    )  # fmt: skip


def _damaged(case: Case) -> Lines:
    bad = re.compile(
        r"invalid ELF|file too short|wrong ELF|undefined symbol|GLIBC|crash|signal|no answer", re.IGNORECASE
    )
    own = tuple(_told(name, reason) for name, reason in _own_missing(case) if bad.search(reason))
    return own or (
        *(seen.text for seen in _missing(case) if bad.search(seen.groups.get("dlerror", ""))),
        *case.lines("bad_libcuda"),
    )


def _damaged_cause(case: Case) -> str:
    if any("undefined symbol" in line for line in _damaged(case)):
        return ("A CUDA library is there and does not fit the others: libraries of two versions (of cuDNN, most often) are mixed "
                "on the loader’s path.")  # fmt: skip
    return ("A CUDA library is there and cannot be used: it is damaged, of another architecture (32 bit, for one), or built for a "
            "newer system.")  # fmt: skip


def _wants(case: Case) -> list[str]:
    """Say which CUDA and which cuDNN the missing libraries belong to: one of each, as exactly as can be told."""
    names = _names(case)
    found = [belongs_to(name) for name in names]
    if any(re.search(r"cusolver(?:64_10|\.so\.10$)", name) for name in names) and _opens_cuda_11(case):
        found.append("CUDA 11.0")  # 11.1 and later have libcusolver.so.11
    cuda = max((each for each in found if each.startswith("CUDA")), key=len, default="")
    cudnn = next((each for each in found if each.startswith("cuDNN")), "")
    return [each for each in (cuda, cudnn) if each]


def _opens_cuda_11(case: Case) -> bool:
    return any(re.search(r"64_11|\.so\.11", seen.groups.get("lib", "")) for seen in case.signs.get("opened", "missing"))


def _cudnn_alone(case: Case, major: str) -> tuple[Step, ...]:
    """Install one cuDNN, from where that version can be had."""
    cuda = "11" if _opens_cuda_11(case) else "12"
    if not major.isdigit() or int(major) < 8:
        return (Step(f"cuDNN {major} is in NVIDIA’s archive: https://developer.nvidia.com/rdp/cudnn-archive. Copy its libraries "
                     "into the CUDA folder that TensorFlow uses."),)  # fmt: skip
    package = f"python -m pip install 'nvidia-cudnn-cu{cuda}=={major}.*'"
    system = f"libcudnn{major}" if major == "8" else f"cudnn{major}-cuda-{cuda}"
    return (Step(f"cuDNN {major} alone:", f"{package}    # or: sudo apt-get install {system}"),)


def _missing_cause(case: Case) -> str:
    names = _names(case)
    listed = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    wants = _wants(case)
    of = f" ({' and '.join(wants)})" if wants else ""
    other = _another_cuda(case, wants) if any(want.startswith("CUDA") for want in wants) else ""
    cannot = f"cannot be found: {other} is installed instead" if other else "cannot be found"
    return f"TensorFlow needs {listed}{of}, which {cannot}. Without it, TensorFlow uses no GPU."


def _another_cuda(case: Case, wants: list[str]) -> str:
    """Name a CUDA on the loader's path that is not the wanted one."""
    text = " ".join(case.lines("missing")) + " " + (case.variable("LD_LIBRARY_PATH") or "")
    there = [version for version in re.findall(r"cuda-(\d+\.\d+)", text) if f"CUDA {version}" not in wants]
    return f"CUDA {there[0]}" if there else ""


def _missing_fix(case: Case) -> tuple[Step, ...]:
    wants = _wants(case)
    only_cudnn = bool(wants) and all(each.startswith("cuDNN") for each in wants)
    exact: tuple[Step, ...] = (Step(f"Install {' and '.join(wants)}, the version that this TensorFlow was built for, or use a TensorFlow that was "
                  "built for the CUDA you have: https://www.tensorflow.org/install/source#gpu"),) if wants else ()  # fmt: skip
    if only_cudnn and case.family == "linux":
        exact += _cudnn_alone(case, wants[0].split()[1])
        return exact
    return (*exact, *steps.cuda_libraries(case))


def _newest(case: Case) -> bool:
    """Whether the log is of TensorFlow 2.18 or later, which open cuDNN 9."""
    return case.signs.absl_prefix or minor(case.version) >= (2, 18)


def _unnamed_cause(case: Case) -> str:
    which = ("In TensorFlow 2.18 and later it is most often cuDNN 9 (libcudnn.so.9): the 2.18 and 2.19 GPU images and many "
             "clusters have cuDNN 8 only." if _newest(case) else
             "In TensorFlow 2.16 and 2.17 from pip it is most often that the folders nvidia/*/lib of pip’s own CUDA libraries "
             "are not on the loader’s path; else CUDA or cuDNN of the version that it was built for is missing.")  # fmt: skip
    return f"One or more CUDA libraries cannot be loaded, so TensorFlow registers no GPU; the log does not say which. {which}"


def _name_it() -> Step:
    return Step("Let TensorFlow name the library.",
                "TF_CPP_VMODULE=dso_loader=3 python -c \"import tensorflow as tf; tf.config.list_physical_devices()\" 2>&1 | "
                "grep 'Could not load'    # before 2.21: TF_CPP_MAX_VLOG_LEVEL=3")  # fmt: skip


def _unnamed_fix(case: Case) -> tuple[Step, ...]:
    cudnn9 = Step("Install cuDNN 9 (in a container, inside it), or stay on the image of 2.17.",
                  "sudo apt-get install cudnn9-cuda-12    # or: python -m pip install nvidia-cudnn-cu12")  # fmt: skip
    paths = Step("With pip, put its CUDA libraries on the loader’s path.",
                 "export LD_LIBRARY_PATH=$(python -c \"import glob, site; print(':'.join(glob.glob("
                 "site.getsitepackages()[0] + '/nvidia/*/lib')))\"):$LD_LIBRARY_PATH")  # fmt: skip
    first = (cudnn9, paths) if _newest(case) else (paths,)
    return (*first, *steps.cuda_libraries(case), _name_it())


def _cut(case: Case) -> Lines:
    return () if case.sees_gpu or case.lines("dlopen", "too_old", "jit") else case.lines("cut_warning")


def _xla_only(case: Case) -> Lines:
    return () if case.sees_gpu else case.lines("xla_gpu_only")


def _stub_cause(case: Case) -> str:
    if case.lines("smi_works"):
        return ("The NVIDIA driver works, as nvidia-smi shows; TensorFlow does not find the CUDA libraries that it needs. The "
                "package or the image may be the one without them (tensorflow without [and-cuda], an image without -gpu).")  # fmt: skip
    return ("TensorFlow found neither the NVIDIA driver nor the CUDA runtime. It prints this when the driver is missing (or a "
            "container has no GPU), and also when only the CUDA libraries are missing, as in a plain “pip install tensorflow”. "
            "TensorFlow computes on the CPU.")  # fmt: skip


def _stub_fix(case: Case) -> tuple[Step, ...]:
    cuda, cudnn = case.built
    pair = f"CUDA {cuda} and cuDNN {cudnn}" if cuda else "the CUDA and cuDNN of its version"
    return (
        Step("See whether the driver works. If this fails, the driver is missing: install it (in a container, start it with "
             "the GPU).", "nvidia-smi    # in a container: docker run --gpus all …"),
        Step(f"If it lists the GPU, the CUDA libraries are missing: TensorFlow needs {pair}."),
        *steps.cuda_libraries(case),
        Step("If no GPU is meant, the line is harmless: TensorFlow works on the CPU."),
    )  # fmt: skip


def _older_cudnn(case: Case) -> Lines:
    return case.lines("cudnn_versions") + _own_older_cudnn(case)


def _own_older_cudnn(case: Case) -> Lines:
    """The cuDNN that is opened here is of the right major version, and older than TensorFlow was built for."""
    libraries, wanted = case.machine.libraries, case.built[1]
    opened = () if isinstance(libraries, Unavailable) else libraries
    return tuple(
        f"{each.name} is version {each.version}; TensorFlow was built for {wanted}"
        for each in opened
        if each.name.startswith("libcudnn") and each.version and wanted and minor(each.version) < minor(wanted)
    )


def _older_cause(case: Case) -> str:
    loaded, wanted = case.word("cudnn_versions", "loaded"), case.word("cudnn_versions", "wanted")
    versions = f"cuDNN {loaded} is loaded, and TensorFlow was compiled with {wanted}: " if loaded else ""
    return f"{versions}the cuDNN that is found first is older than the one TensorFlow needs (same major version, and at least as new)."


RULES = (
    Rule("library_damaged", _damaged,
         _damaged_cause,
         lambda case: (Step("Remove it, and install it anew."), *steps.cuda_libraries(case)), TESTED,
         explains=("library_missing", "library_dependency_missing", "libraries_missing", "cuda_not_found")),
    Rule("library_dependency_missing", _dependency_lines, _dependency_cause, _dependency_fix, TESTED,
         explains=("library_missing", "libraries_missing", "cuda_not_found")),
    Rule("library_missing", _plain_missing, _missing_cause, _missing_fix, TESTED,
         explains=("libraries_missing", "cuda_not_found", "no_cudnn", "gpu_unused")),
    Rule("libraries_missing", unless(signs("dlopen"), lambda case: case.evidence.tensorflow and case.sees_gpu),
         _unnamed_cause, _unnamed_fix, CUDNN9, certainty="likely", explains=("cuda_not_found", "cut_short")),
    Rule("cut_short", _cut,
         "The log is cut in the middle of a warning about the GPU device. At that place TensorFlow says that it cannot load "
         "some GPU libraries, and registers no GPU. In TensorFlow 2.18 and later that is most often cuDNN 9 (libcudnn.so.9), "
         "which the 2.18 and 2.19 GPU images lack: they have cuDNN 8.",
         _unnamed_fix, CUDNN9, certainty="likely"),
    Rule("cudnn_older", _older_cudnn, _older_cause, steps.cudnn, "https://docs.nvidia.com/deeplearning/cudnn/",
         explains=("no_cudnn", "memory_held")),
    Rule("no_cudnn", unless(signs("no_cudnn"), lambda case: case.signs.get("cudnn_versions")),
         "cuDNN could not be loaded or started: it is missing, of another version than TensorFlow was built for, or the GPU’s "
         "memory is full.",
         lambda case: (*steps.cudnn(case), *steps.free_memory(case)[:2]), TESTED, certainty="likely",
         explains=("memory_held",)),
    Rule("xla_gpu_only", _xla_only,
         "TensorFlow has the device XLA_GPU and no GPU: the driver works, and the CUDA libraries of the version that this "
         "TensorFlow was built for could not be loaded. Soft placement is off, so the operation fails.",
         steps.cuda_libraries, TESTED, certainty="likely"),
    Rule("cuda_not_found", unless(signs("stub"), lambda case: case.sees_gpu),
         _stub_cause,
         _stub_fix, PIP, certainty="likely"),
)  # fmt: skip
