"""Rules about the NVIDIA driver: its two halves, its device files, and what it answers."""

from __future__ import annotations

from tfcore.devices import Unavailable
from tfcore.rules import steps
from tfcore.rules.base import FOLLOWS, Case, Certainty, Lines, Rule, Step, driver_says, either, signs

TOOLKIT = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"
CUDA_ERRORS = "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TYPES.html"
COMPATIBILITY = "https://docs.nvidia.com/deploy/cuda-compatibility/"
LINUX_DRIVER = "https://docs.nvidia.com/cuda/cuda-installation-guide-linux/"
SUSPEND = "https://github.com/tensorflow/tensorflow/issues/53341"
WSL = "https://docs.nvidia.com/cuda/wsl-user-guide/"
UNKNOWN_CODES = (
    "cuda_error_unknown", "cuda_error_invalid_value", "cuda_error_operating_system",
    "cuda_error_system_not_supported", "unknown error (999)", "unknown error (304)",
)  # fmt: skip
KNOWN_CODES = (
    *UNKNOWN_CODES,
    "cuda_error_not_initialized", "cuda_error_devices_unavailable", "cuda_error_no_device", "no_device", "unknown error (303)", "unknown error (-1)",
    "cuda_error_system_driver_mismatch", "cuda_error_compat_not_supported_on_device", "cuda_error_stub_library",
    "cuda_error_system_not_ready", "cuda_error_insufficient_driver", "cuda_error_device_unavailable",
    "cuda_error_ecc_uncorrectable", "cuda_error_hardware_stack_error", "cuda_error_out_of_memory",
)  # fmt: skip


def _driver_absent(case: Case) -> Lines:
    library = case.machine.driver_library
    own = (library.reason,) if isinstance(library, Unavailable) is False and library.reason else ()
    if case.sees_gpu:
        return ()
    return own + case.said("unknown error (303)") + case.lines("driver_dll", "smi_missing")


def _driver_absent_cause(case: Case) -> str:
    name = "nvcuda.dll" if case.family == "windows" else "libcuda.so.1"
    where = "this container" if case.in_container else "WSL" if case.in_wsl else "this machine"
    return (f"No NVIDIA driver is visible to TensorFlow: its library {name} cannot be loaded. Either {where} has no NVIDIA "
            "driver (or no NVIDIA GPU at all), or a container was started without the GPU. TensorFlow falls back to the CPU, "
            "which is harmless if the CPU is meant.")  # fmt: skip


def _not_running(case: Case) -> Lines:
    machine = case.machine
    own: Lines = ()
    if case.nvidia_gpus and not case.in_wsl and isinstance(machine.module_version, Unavailable) and not case.sees_gpu \
            and machine.module_version.reason.startswith("no "):  # fmt: skip
        own = ("an NVIDIA GPU on the bus", f"kernel module: {machine.module_version.reason}")
    if case.said("unknown error (303)") or case.lines("driver_dll"):
        return own  # its library is missing too: there is no driver at all
    return own + case.lines("no_kernel_driver")


def _not_running_fix(case: Case) -> tuple[Step, ...]:
    other = case.machine.other_modules
    nouveau = not isinstance(other, Unavailable) and "nouveau" in other
    laptop = (
        (Step("On a laptop with two GPUs, switch NVIDIA’s on and restart.", "sudo prime-select nvidia && sudo reboot"),)
        if case.signs.get("optimus") else ()
    )  # fmt: skip
    mine = (
        *laptop,
        Step("Load the kernel’s half of the driver, and see what it says.",
             "sudo modprobe nvidia nvidia_uvm && nvidia-smi; sudo dmesg | grep -i -e nvrm -e nvidia | tail"),
        Step("If it is missing, install the driver for this kernel (kernel headers too). With Secure Boot the module must be "
             "signed. The open driver nouveau must not hold the GPU."
             if not nouveau else "The open driver nouveau holds the GPU: install NVIDIA’s driver, which turns it off, and "
             "restart."),
    )  # fmt: skip
    if case.in_container or case.evidence.from_log:
        return (*steps.give_container_gpu(case), *mine)
    return mine


def _forbidden(case: Case) -> Lines:
    nodes = case.machine.nodes
    if isinstance(nodes, Unavailable) or case.sees_gpu:
        return ()
    shut = [node.path for node in nodes if not node.usable]
    return tuple(f"{path}: this user may not open it" for path in shut) if shut and len(shut) == len(nodes) else ()


def _nodes_absent(case: Case) -> Lines:
    machine = case.machine
    own: Lines = ()
    if not isinstance(machine.nodes, Unavailable) and not machine.nodes and case.nvidia_gpus and not case.in_wsl \
            and not isinstance(machine.module_version, Unavailable) and not case.sees_gpu:  # fmt: skip
        own = (f"kernel module {machine.module_version} is loaded", "no file /dev/nvidia*")
    return own + case.lines("no_nodes") + case.said("unknown error (-1)")


def _mismatch(case: Case) -> Lines:
    machine = case.machine
    own: Lines = ()
    library = machine.driver_library
    if not isinstance(library, Unavailable) and not isinstance(machine.module_version, Unavailable) and library.version \
            and library.version != machine.module_version and not case.sees_gpu:  # fmt: skip
        own = (f"kernel module {machine.module_version}", f"driver library {library.version} at {library.path}")
    kernel, dso = case.word("kernel_version", "version"), case.word("dso_version", "version")
    told = case.lines("mismatch", "nvml_mismatch")
    if not told and kernel and dso and _short(kernel) != _short(dso):
        told = case.lines("kernel_version", "dso_version")
    return (*own, *told, *case.said("cuda_error_system_driver_mismatch"))


def _short(version: str) -> tuple[int, ...]:
    numbers = [int(part) for part in version.split(".") if part.isdigit()]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _halves(case: Case) -> tuple[str, str]:
    """Give the versions of the kernel's and the user's half of the driver, as far as they are known."""
    kernel = case.word("mismatch", "kernel") or case.word("kernel_version", "version")
    library = case.word("mismatch", "dso") or case.word("dso_version", "version")
    machine = case.machine
    if not isinstance(machine.module_version, Unavailable):
        kernel = machine.module_version
    if not isinstance(machine.driver_library, Unavailable) and machine.driver_library.version:
        library = machine.driver_library.version
    return kernel, library


def _mismatch_cause(case: Case) -> str:
    kernel, library = _halves(case)
    named = f" (kernel module {kernel}, library libcuda {library})" if kernel and library else ""
    if kernel and library and _short(library) < _short(kernel):
        why = ("An old libcuda was left over from an earlier driver and is found first, or two drivers are installed; a driver "
               "that was updated without a restart does the same.")  # fmt: skip
    else:
        why = (
            "Usually the driver was upgraded without a restart, so the old kernel module is still loaded, or two drivers "
            "are installed. In a container the image’s libcuda (CUDA’s compat package) is newer than the host’s driver."
        )
    return f"The two halves of the NVIDIA driver do not match{named}. {why}"


def _mismatch_fix(case: Case) -> tuple[Step, ...]:
    kernel, library = _halves(case)
    newer = bool(kernel and library) and _short(library) > _short(kernel)
    found = steps.reload_driver(case)
    return (*found, *steps.upgrade_host_driver(case)[:1]) if newer or case.in_container else found


def _just_upgraded(case: Case) -> Lines:
    loaded, on_disk = case.machine.module_version, case.machine.module_on_disk
    if isinstance(loaded, Unavailable) or isinstance(on_disk, Unavailable) or loaded == on_disk:
        return ()
    return (f"kernel module loaded: {loaded}", f"kernel module on disk: {on_disk}")


def _driver_of_older_cuda(case: Case) -> Lines:
    """The driver is of an earlier major version of CUDA than TensorFlow was built for."""
    cuda, answer = case.machine.cuda, case.evidence.tensorflow
    if isinstance(cuda, Unavailable) or isinstance(answer, Unavailable) or not (cuda.cuda and answer.cuda):
        return ()
    older = int(cuda.cuda.partition(".")[0]) < int(answer.cuda.partition(".")[0])
    return (
        (f"the driver supports CUDA up to {cuda.cuda}", f"TensorFlow was built for CUDA {answer.cuda}") if older else ()
    )


def _unknown_certainty(case: Case) -> Certainty:
    return "likely" if case.signs.get("suspend") else "possible"


def _give_gpu_or_nodes(case: Case) -> tuple[Step, ...]:
    return (
        Step("In a container, start it with the GPU.", "docker run --gpus all …"),
        Step("On the machine itself, create the device files.", "sudo nvidia-modprobe -u -c=0 && ls -l /dev/nvidia*"),
        *(
            []
            if case.in_container
            else [Step("If that fails, the kernel module is not loaded.", "sudo modprobe nvidia")]
        ),
    )


def _incomplete(case: Case) -> Lines:
    """CUDA's half of the driver answers with devices, NVML is not there, and TensorFlow sees none."""
    cuda, nvml = case.machine.cuda, case.machine.nvml
    if isinstance(cuda, Unavailable) or not cuda.devices or case.sees_gpu or not isinstance(nvml, Unavailable):
        return ()
    return (f"cuInit answers {cuda.name}, {cuda.devices} devices", nvml.reason)


def _other_error(case: Case) -> Lines:
    """What cuInit answers where no other rule knows it."""
    known = case.said(*KNOWN_CODES)
    told = tuple(line for line in case.lines("cuinit") if line not in known)
    cuda = case.machine.cuda
    own = not isinstance(cuda, Unavailable) and cuda.code not in (0, 303) and cuda.name.lower() not in KNOWN_CODES
    return () if known else ((f"cuInit answers {cuda.name} ({cuda.code})",) if own else ()) + told  # type: ignore[union-attr]


RULES = (
    Rule("secure_boot", signs("secure_boot"),
         "The NVIDIA kernel module is not allowed to load: Secure Boot is on, and the module is not signed with a key that the "
         "computer knows.",
         lambda _: (Step("Enrol the key that the module was signed with, and restart; or turn Secure Boot off.",
                         "sudo mokutil --import /var/lib/shim-signed/mok/MOK.der && sudo reboot"),), LINUX_DRIVER,
         explains=(*FOLLOWS, "driver_not_running", "driver_mismatch")),
    Rule("gpu_not_started", signs("smi_no_devices"),
         "The driver is loaded and cannot start the GPU: nvidia-smi itself finds none. The GPU may be without power, not "
         "supported by this driver (open or closed module), or not passed to the virtual machine rightly.",
         lambda _: (Step("See what the driver says of it.", "sudo dmesg | grep -i -e nvrm -e RmInitAdapter | tail"),), LINUX_DRIVER,
         certainty="likely", explains=FOLLOWS),
    Rule("driver_not_running", _not_running,
         "The kernel’s half of the NVIDIA driver is not running here. What was loaded is only its library: in a container it "
         "comes from the image (cuda/compat) while the GPU is not passed in; on a machine the kernel module is not loaded.",
         _not_running_fix, LINUX_DRIVER, explains=(*FOLLOWS, "driver_mismatch")),
    Rule("driver_mismatch", _mismatch, _mismatch_cause, _mismatch_fix, COMPATIBILITY, explains=FOLLOWS),
    Rule("driver_just_upgraded", _just_upgraded,
         "The NVIDIA driver was upgraded, and the old kernel module is still loaded.",
         steps.reload_driver, LINUX_DRIVER, certainty="likely", usable=None, explains=FOLLOWS),
    Rule("compat_not_supported", driver_says("cuda_error_compat_not_supported_on_device"),
         "CUDA’s forward-compatibility library is in use, and this GPU (a GeForce, for one) does not support it; it stands in "
         "for a driver that is too old.",
         lambda case: (*steps.update_driver(case)[:1],
                       Step("And take the compat folder out of LD_LIBRARY_PATH.",
                            "echo $LD_LIBRARY_PATH | tr : '\\n' | grep compat")), COMPATIBILITY, explains=FOLLOWS),
    Rule("stub_library", driver_says("cuda_error_stub_library"),
         "TensorFlow has loaded a stub of the driver’s library, which is meant for building programs only: a folder such as "
         "/usr/local/cuda/lib64/stubs stands first in LD_LIBRARY_PATH.",
         lambda _: (Step("Take the stubs folder out of LD_LIBRARY_PATH.",
                         "echo $LD_LIBRARY_PATH | tr : '\\n' | grep stubs"),), CUDA_ERRORS, explains=FOLLOWS),
    Rule("system_not_ready", driver_says("cuda_error_system_not_ready"),
         "The GPUs are not ready: on machines with NVSwitch (HGX, DGX) NVIDIA’s Fabric Manager does not run, or is of another "
         "version than the driver.",
         lambda _: (Step("Start the Fabric Manager, of the driver’s own version.",
                         "sudo systemctl enable --now nvidia-fabricmanager && systemctl status nvidia-fabricmanager"),),
         "https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/", explains=FOLLOWS),
    Rule("driver_too_old",
         either(_driver_of_older_cuda, signs("driver_insufficient", "requirement", "new_ptx"),
                driver_says("cuda_error_insufficient_driver", "cuda_error_unsupported_ptx_version", "insufficient_driver")),
         "The NVIDIA driver is older than the CUDA that TensorFlow uses: the toolkit (often one that conda chose) or the code "
         "compiled for the GPU needs a newer driver.",
         steps.update_driver, COMPATIBILITY, explains=(*FOLLOWS, "capability_too_new")),
    Rule("gpu_lost", signs("gpu_lost"),
         "The GPU no longer answers: it has fallen off the bus (heat, power, a loose card) or its driver has failed.",
         lambda _: (Step("Look for the reason, then restart the machine.", "sudo dmesg | grep -i -e xid -e nvrm | tail"),),
         "https://docs.nvidia.com/deploy/xid-errors/", explains=FOLLOWS),
    Rule("container_lost_gpu", signs("nvml_unknown"),
         "The container has lost its GPU while it ran, usually because systemd reloaded its rules on the host.",
         lambda _: (Step("Restart the container; to keep it from happening, pass the device files by --device too, or set "
                         "the cgroup driver to cgroupfs."),), TOOLKIT, certainty="likely", explains=FOLLOWS),
    Rule("device_files_forbidden", _forbidden, "The GPU’s device files are there, but this user may not open them.",
         lambda _: (Step("Join the group that owns them, and log in again.",
                         "ls -l /dev/nvidia*; sudo usermod -aG video,render $USER"),), LINUX_DRIVER, explains=FOLLOWS),
    Rule("device_files_absent", _nodes_absent,
         "The GPU’s device files (/dev/nvidia0 and others) are not there: a container was started without the GPU, or the "
         "kernel module has not made them.",
         _give_gpu_or_nodes, LINUX_DRIVER, explains=FOLLOWS),
    Rule("driver_incomplete", _incomplete,
         "The driver’s CUDA library works, and its management library libnvidia-ml.so.1 is missing, which TensorFlow needs too. "
         "In a container it is left out where NVIDIA_DRIVER_CAPABILITIES lacks “utility”.",
         lambda case: (Step("In a container, ask for both capabilities.",
                            "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility …"),
                       Step("On a machine, install the whole driver again; nvidia-smi must work.", "nvidia-smi")),
         TOOLKIT, certainty="likely", explains=FOLLOWS),
    Rule("gpu_busy", either(signs("busy"), driver_says("cuda_error_device_unavailable", "cuda_error_devices_unavailable", "cudaerrordevicesunavailable")),
         "The GPU is taken by another process: its compute mode is exclusive, or it hangs. A virtual GPU without a licence answers so too.",
         lambda _: (Step("See who holds it, and end that; or let several processes use it.",
                         "nvidia-smi; sudo nvidia-smi -c DEFAULT"),), CUDA_ERRORS, explains=FOLLOWS),
    Rule("gpu_faulty", driver_says("cuda_error_ecc_uncorrectable", "cuda_error_hardware_stack_error"),
         "The GPU reports a fault in its memory or its hardware.",
         lambda _: (Step("Reset it or restart; if it comes back, the card is faulty.",
                         "nvidia-smi -q -d ECC; sudo nvidia-smi --gpu-reset"),), CUDA_ERRORS, explains=FOLLOWS),
    Rule("driver_absent", _driver_absent, _driver_absent_cause, steps.install_driver, LINUX_DRIVER, explains=FOLLOWS),
    Rule("unknown_error",
         driver_says(*UNKNOWN_CODES),
         "The driver answers with an error that does not tell the reason (“unknown error”). Most often its module nvidia_uvm is in a broken state after suspend and resume, "
         "or is not loaded (in LXC, not passed in), or this user may not open its device files. A GPU that is too old for "
         "the CUDA in use answers so too.",
         lambda case: (
             Step("Reload the module (no program may use the GPU).", "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm"),
             Step("If files are missing, make them; if they are not yours to open, change that.",
                  "sudo nvidia-modprobe -u -c=0 && ls -l /dev/nvidia*"),
             Step("To keep it from coming back after suspend, let the driver save the GPU’s memory.",
                  "echo 'options nvidia NVreg_PreserveVideoMemoryAllocations=1' | sudo tee /etc/modprobe.d/nvidia-suspend.conf\n"
                  "sudo systemctl enable nvidia-suspend nvidia-resume"),
             Step("Or restart the computer."),
         ), SUSPEND, certainty=_unknown_certainty, explains=("cuda_not_found", "libraries_missing")),
    Rule("used_after_fork", driver_says("cuda_error_not_initialized"),
         "CUDA says that it is not initialised. Most often the process was forked after CUDA had been used (multiprocessing, a "
         "web server’s workers): CUDA does not survive a fork. Else the driver could not start.",
         lambda _: (Step("Start worker processes afresh instead.", "multiprocessing.set_start_method('spawn')"),
                    Step("If nothing forks, restart the driver.", "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm")),
         CUDA_ERRORS, certainty="possible", explains=("no_device",)),
    Rule("driver_error", _other_error,
         "The NVIDIA driver could not be started: cuInit failed with an error that is rare.",
         lambda _: (Step("See what the driver itself says, and restart the computer if it fails too.",
                         "nvidia-smi; sudo dmesg | grep -i -e nvrm -e xid | tail"),
                    Step("Look the error up in NVIDIA’s list.")),
         CUDA_ERRORS, certainty="possible"),
)  # fmt: skip
