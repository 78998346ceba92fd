"""Rules about Python, TensorFlow's package, and what is in the machine."""

from __future__ import annotations

import re

from tfcore.devices import Unavailable
from tfcore.rules import steps
from tfcore.rules.base import Case, Lines, Rule, Step, signs, unless
from tfcore.tested_builds import PYTHONS, built_for, minor

INSTALL = "https://www.tensorflow.org/install/pip"
PLATFORMS = "https://www.tensorflow.org/install/pip#system-requirements"
METAL = "https://developer.apple.com/metal/tensorflow-plugin/"
DIRECTML = "https://learn.microsoft.com/windows/ai/directml/gpu-tensorflow-plugin"
ROCM = "https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/3rd-party/tensorflow-install.html"
WHOLE = {"tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tf-nightly", "tf-nightly-cpu", "tensorflow-rocm"}
CPU_ONLY = {"tensorflow-cpu", "tf-nightly-cpu", "tensorflow-intel", "tensorflow-cpu-aws"}


def _removed(_case: Case) -> tuple[Step, ...]:
    return (
        Step("Install TensorFlow itself, with its CUDA libraries.", "python -m pip install 'tensorflow[and-cuda]'"),
    )


def _metal_cause(case: Case) -> str:
    old = any("OBJC_CLASS" in line or "built for" in line for line in case.lines("metal_misfit"))
    why = "it needs a newer macOS" if old else "it was built for another version of TensorFlow"
    return f"The Metal plugin is installed, and cannot be loaded: {why}."


def _python_unsupported(case: Case) -> Lines:
    found = case.lines("pip", "pip_platform")
    if found:
        return found
    system = case.system
    if system and not _is_installed(case) and not PYTHONS[0] <= minor(system.python)[1] <= PYTHONS[1]:
        return (f"Python {system.python}", "TensorFlow is not installed")
    return ()


def _python_cause(case: Case) -> str:
    package = case.word("pip", "package")
    if package.startswith(("tensorflow-gpu", "tensorflow_gpu")):
        return (f"pip finds no {package} for this Python and this system: tensorflow-gpu has ended, and old versions exist "
                "for old Pythons only.")  # fmt: skip
    return (f"pip finds no {package or 'TensorFlow'} for this Python and this system: the Python is newer or older than any "
            "TensorFlow that was released for it, or it is not a 64-bit one.")  # fmt: skip


def _use_supported_python(case: Case) -> tuple[Step, ...]:
    wanted = re.search(r"==(\d+\.\d+)", case.word("pip", "package"))
    built = built_for(wanted[1]) if wanted else None
    exact = (Step(f"TensorFlow {wanted[1]} exists for Python {built[2]} only."),) if wanted and built else ()
    return (
        *exact,
        Step(f"Use a Python that TensorFlow supports: 64 bit, 3.{PYTHONS[0]} to 3.{PYTHONS[1]} for the newest release "
             "(3.9 to 3.12 for 2.16 to 2.19).",
             "python3.12 -m venv .venv && .venv/bin/python -m pip install tensorflow"),
        Step("Or with conda.", "conda create -n tf python=3.12 && conda activate tf && pip install tensorflow"),
    )  # fmt: skip


def _is_installed(case: Case) -> bool:
    return isinstance(case.machine.packages, Unavailable) or any(
        package.name.startswith(("tensorflow", "tf-nightly")) and package.name not in ("tensorflow-metal",)
        for package in case.packages
    )


def _not_installed(case: Case) -> Lines:
    return case.lines("no_tensorflow") or (
        () if _is_installed(case) else ("no tensorflow among the installed packages",)
    )


def _import_fails(case: Case) -> Lines:
    answer = case.evidence.tensorflow
    own = (str(answer.reason),) if isinstance(answer, Unavailable) and "cannot be imported" in answer.reason else ()
    return own + case.lines("native_runtime")


def _no_gpu(case: Case) -> Lines:
    """No NVIDIA GPU on the bus, in no device file, and none that the driver shows."""
    machine = case.machine
    if case.sees_gpu or case.in_wsl or isinstance(machine.gpus, Unavailable) or case.nvidia_gpus:
        return ()
    if not isinstance(machine.nodes, Unavailable) and machine.nodes:
        return ()
    if not isinstance(machine.cuda, Unavailable) and machine.cuda.code != 303:
        return ()
    others = sorted({gpu.vendor for gpu in machine.gpus})
    found = f"graphics on the bus: {', '.join(others)}" if others else "no graphics device of NVIDIA on the bus"
    library = machine.driver_library
    none = not isinstance(library, Unavailable) and bool(library.reason)
    return (found, "no file /dev/nvidia*") + (("no NVIDIA driver library libcuda.so.1",) if none else ())


def _no_gpu_cause(case: Case) -> str:
    where = "this container sees" if case.in_container else "this machine has"
    return (f"No NVIDIA driver is installed, and there is nothing for it to drive: {where} no NVIDIA GPU. "
            "TensorFlow computes on the CPU.")  # fmt: skip


def _no_gpu_fix(case: Case) -> tuple[Step, ...]:
    first = Step(
        "Nothing is broken: everything here works on the CPU. To use a GPU, run this on a machine that has one."
    )
    return (first, *steps.give_container_gpu(case)) if case.in_container else (first,)


def _amd(case: Case) -> Lines:
    gpus = case.machine.gpus
    amd = not isinstance(gpus, Unavailable) and any(gpu.vendor == "amd" for gpu in gpus) and not case.nvidia_gpus
    rocm = any("rocm" in package.name for package in case.packages)
    return (
        ("an AMD GPU on the bus", "tensorflow-rocm is not installed") if amd and not rocm and not case.sees_gpu else ()
    )


def _cuda_is_missing(case: Case) -> bool:
    """Whether a CUDA library is what cannot be loaded."""
    return any(
        re.search(r"cu(?:da|dnn|blas|fft|rand|solver|sparse)|nvrtc", line, re.IGNORECASE)
        for line in case.lines("missing")
    )


def _several(case: Case) -> Lines:
    whole = [package for package in case.packages if package.name in WHOLE]
    own = tuple(f"{each.name} {each.version}" for each in whole) if len(whole) > 1 else ()
    return own or case.lines("several")


def _windows(case: Case) -> Lines:
    if case.family != "windows" or case.in_wsl or case.sees_gpu or case.signs.get("plugin"):
        return ()
    if minor(case.version) >= (2, 11):
        return (f"TensorFlow {case.version}", *case.lines("windows")[:1])
    intel = [seen.text for seen in case.signs.get("cpu_package") if "intel" in seen.text.lower()]
    return tuple(intel)


def _macos(case: Case) -> Lines:
    if case.family != "macos" or case.sees_gpu or any(package.name == "tensorflow-metal" for package in case.packages):
        return ()
    return ("tensorflow-metal is not installed",) if case.system else case.lines("macos")[:1]


def _cpu_package(case: Case) -> Lines:
    answer = case.evidence.tensorflow
    if not isinstance(answer, Unavailable):
        return () if answer.built_with_cuda or answer.built_with_rocm or answer.gpus else (
            "tf.test.is_built_with_cuda() is False",)  # fmt: skip
    names = [package.name for package in case.packages]
    if names and any(name in CPU_ONLY for name in names) and "tensorflow" not in names:
        return tuple(name for name in names if name in CPU_ONLY)
    return () if case.sees_gpu else case.lines("without_cuda", "cpu_package")


def _without_cuda(case: Case) -> Lines:
    """A log that says that there is no GPU, and of CUDA not one word, as a build with CUDA would."""
    talks = case.signs.get("cuinit", "cuda_error", "missing", "dlopen", "stub", "opened", "found_device", "driver_dll",
                           "too_old", "cut_warning", "no_kernel_driver", "rocm")  # fmt: skip
    if not case.evidence.from_log or talks or case.sees_gpu or case.lines("with_cuda", "smi_no_devices", "no_mig"):
        return ()
    quiet = re.compile(r"no gpu/tpu found", re.IGNORECASE)
    found = tuple(line for line in case.lines("no_gpu_told") if not quiet.search(line))
    return ((f"TensorFlow {case.version}",) if case.version else ()) + found if found else ()


def _without_cuda_fix(case: Case) -> tuple[Step, ...]:
    return (
        Step("On Windows:"), *steps.windows(case),
        Step("On a Mac with Apple silicon, add the Metal plugin.", "python -m pip install tensorflow-metal"),
        Step("On Linux, replace the CPU package.",
             "python -m pip uninstall tensorflow-cpu && python -m pip install 'tensorflow[and-cuda]'"),
        *steps.show_more(case)[:1],
    )  # fmt: skip


def _replace_package(case: Case) -> tuple[Step, ...]:
    if case.family == "windows":
        return steps.windows(case)
    if case.signs.get("jetson"):
        return (
            Step(
                "On a Jetson, install NVIDIA’s own TensorFlow for your JetPack, or use its container l4t-tensorflow: "
                "https://docs.nvidia.com/deeplearning/frameworks/install-tf-jetson-platform/"
            ),
        )
    return (
        Step("Remove all of them, and install the one with CUDA.",
             "python -m pip uninstall -y tensorflow tensorflow-cpu tensorflow-gpu tf-nightly tensorflow-intel\n"
             "python -m pip install 'tensorflow[and-cuda]'"),
    )  # fmt: skip


RULES = (
    Rule("python_unsupported", _python_unsupported, _python_cause, _use_supported_python, INSTALL,
         explains=("tensorflow_missing",)),
    Rule("tensorflow_missing", _not_installed, "TensorFlow is not installed in this Python.",
         lambda _: (Step("Install it, with its CUDA libraries where there is an NVIDIA GPU.",
                         "python -m pip install 'tensorflow[and-cuda]'    # without a GPU: pip install tensorflow"),),
         INSTALL),
    Rule("package_removed", signs("removed_package"),
         "The package tensorflow-gpu has ended: its last releases are empty, and point to tensorflow, which has the GPU support.",
         _removed, INSTALL, explains=("python_unsupported",)),
    Rule("system_too_old", signs("glibc"),
         "TensorFlow was built for a newer system: the C or C++ library here is older than it needs.",
         lambda _: (Step("Use a newer system, a container, or conda, which brings its own libstdc++.",
                         "conda install -c conda-forge libstdcxx-ng    # GLIBC itself comes with the system only"),),
         INSTALL, explains=("import_fails", "library_damaged", "library_missing")),
    Rule("metal_misfit", signs("metal_misfit"), _metal_cause,
         lambda _: (Step("Use a TensorFlow that the plugin was built for, or another plugin; update macOS if it is old. Without "
                         "the plugin TensorFlow works on the CPU.",
                         "python -m pip uninstall -y tensorflow-metal    # or: pip install tensorflow==2.17 tensorflow-metal"),),
         METAL, explains=("macos_without_metal", "import_fails", "library_missing")),
    Rule("directml_misfit", signs("dml_misfit"),
         "The DirectML plugin does not fit this TensorFlow: it was made for tensorflow-cpu 2.10.",
         steps.directml, DIRECTML, explains=("import_fails", "windows_native", "directml_no_adapter", "cpu_package")),
    Rule("directml_no_adapter", signs("dml_none"),
         "DirectML finds no graphics adapter: its library libd3d12.so or the Windows driver of the GPU is missing, or WSL is not "
         "WSL 2.",
         lambda _: (Step("Update the GPU’s driver in Windows, and WSL.", "wsl --update && wsl --shutdown"),), DIRECTML,
         explains=("cpu_package", "windows_native")),
    Rule("amd_gpu_unsupported", signs("rocm_binary"),
         "This build of ROCm and TensorFlow has no code for this AMD GPU: it is not among those that are supported.",
         lambda _: (Step("If a supported GPU is near to it, let ROCm take it for that one.",
                         "export HSA_OVERRIDE_GFX_VERSION=10.3.0    # for gfx103x; 11.0.0 for gfx110x"),
                    Step("Or use a supported card, or build TensorFlow for it.")), ROCM),
    Rule("rocm_missing", signs("rocm_missing"),
         "AMD’s ROCm is not installed, or not where the loader looks, or of another version than this TensorFlow needs.",
         lambda _: (Step("Install the ROCm that fits this tensorflow-rocm.", "sudo amdgpu-install --usecase=rocm && rocminfo"),),
         ROCM, explains=("import_fails",)),
    Rule("amd_gpu_hidden", signs("rocm_none"),
         "ROCm finds no AMD GPU: its device files /dev/kfd and /dev/dri are missing (in a container, not passed in), or this user "
         "may not open them.",
         lambda _: (Step("Join the groups that own them, and log in again.", "sudo usermod -aG render,video $USER; ls -l /dev/kfd /dev/dri"),
                    Step("In a container, pass them in.", "docker run --device=/dev/kfd --device=/dev/dri --group-add video …")),
         ROCM),
    Rule("cpu_too_old", signs("no_avx"),
         "This TensorFlow was built for processors with AVX instructions, which this one does not have (or a virtual "
         "machine hides).",
         lambda _: (Step("Use a processor with AVX, let the virtual machine pass it through, or build TensorFlow from "
                         "source."),), INSTALL),
    Rule("no_gpu_in_machine", unless(_no_gpu, _amd), _no_gpu_cause, _no_gpu_fix, PLATFORMS,
         certainty=lambda case: "likely" if case.in_container else "certain",
         explains=("driver_absent", "cuda_not_found", "libraries_missing", "library_missing", "cpu_package",
                   "windows_native", "container_without_gpu", "cuda_hidden", "several_packages", "cannot_tell")),
    Rule("amd_without_rocm", _amd, "The GPU is AMD’s, and this TensorFlow is built for NVIDIA’s.",
         lambda _: (Step("Install AMD’s ROCm and the TensorFlow that is built for it.",
                         "python -m pip uninstall -y tensorflow && python -m pip install tensorflow-rocm"),),
         ROCM, explains=("driver_absent", "cuda_not_found", "libraries_missing", "library_missing", "cpu_package")),
    Rule("windows_native", _windows,
         "TensorFlow 2.11 and later has no CUDA on native Windows: its wheel is built without GPU support, so it says "
         "nothing of CUDA.",
         steps.windows, PLATFORMS,
         explains=("cpu_package", "built_without_cuda", "cuda_not_found", "library_missing", "libraries_missing")),
    Rule("macos_without_metal", _macos,
         "On macOS TensorFlow uses the GPU through Apple’s Metal plugin, which is not installed or not used.",
         lambda _: (Step("On a Mac with Apple silicon, install it beside TensorFlow.",
                         "python -m pip install tensorflow-metal"),), METAL,
         certainty=lambda case: "certain" if case.system else "likely",
         explains=("cpu_package", "built_without_cuda", "cuda_not_found")),
    Rule("several_packages", unless(_several, lambda case: case.sees_gpu),
         "Several TensorFlow packages are installed over each other; the last one installed wins, whichever it was.",
         _replace_package, INSTALL, certainty="likely", explains=("cpu_package",)),
    Rule("cpu_package", _cpu_package,
         "This TensorFlow is built without CUDA: it is a CPU-only package (such as tensorflow-cpu, or conda’s build for "
         "the CPU).",
         _replace_package, INSTALL, explains=("built_without_cuda", "cuda_not_found")),
    Rule("built_without_cuda", _without_cuda,
         "TensorFlow sees no GPU and says not one word about CUDA. A build with CUDA support would: so this one most likely "
         "has none. That is so on native Windows since TensorFlow 2.11, with tensorflow-cpu, and on macOS without the "
         "Metal plugin.",
         _without_cuda_fix, PLATFORMS, certainty="likely"),
    Rule("import_fails", unless(_import_fails, _cuda_is_missing, signs("driver_dll", "pip")),
         "TensorFlow cannot be imported: a library that it needs cannot be loaded, or its files do not fit each other or "
         "this Python.",
         lambda case: (
             Step("Install TensorFlow anew in a fresh environment.",
                  "python -m venv fresh && fresh/bin/python -m pip install tensorflow"),
             Step("On Windows install Microsoft’s Visual C++ Redistributable 2015–2022 (x64); TensorFlow 1 also needs its "
                  "CUDA’s bin folder on PATH."),
         ), INSTALL, certainty="likely"),
)  # fmt: skip
