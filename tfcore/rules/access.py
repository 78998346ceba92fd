"""Rules about who may see the GPUs: containers, batch jobs, and CUDA_VISIBLE_DEVICES."""

from __future__ import annotations

from tfcore.devices import Unavailable
from tfcore.rules import steps
from tfcore.rules.base import FOLLOWS, Case, Lines, Rule, Step, either, signs, unless

TOOLKIT = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"
VISIBLE = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#cuda-environment-variables"
NO_SUCH_GPU = ("-1", "nodevfiles", "none", "void", "no_dev")


def _hidden(case: Case) -> Lines:
    """CUDA_VISIBLE_DEVICES names no GPU that is there, though there are some."""
    value = case.variable("CUDA_VISIBLE_DEVICES")
    if value is None or case.sees_gpu or not _gpus_there(case):
        return ()
    return (f"CUDA_VISIBLE_DEVICES={value!r}", f"{_gpus_there(case)} GPUs without it")


def _gpus_there(case: Case) -> int:
    """How many GPUs the machine has whatever is hidden: as NVML lists them, or the bus."""
    memory = case.machine.memory
    listed = 0 if isinstance(memory, Unavailable) else len(memory)
    return listed or case.nvidia_gpus or 0


def _hidden_cause(case: Case) -> str:
    value = case.variable("CUDA_VISIBLE_DEVICES")
    if value is None:
        return "CUDA_VISIBLE_DEVICES, or the program itself, hides the GPUs: so the driver shows TensorFlow no device."
    if not value.strip() or value in NO_SUCH_GPU:
        why = f"is set to {value.strip() or 'nothing'}, which hides all GPUs"
    else:
        why = f"is set to {value}, and the first GPU that it names is not there, which hides all"
    return f"The environment variable CUDA_VISIBLE_DEVICES {why} from TensorFlow."


def _hidden_in_log(case: Case) -> Lines:
    told = case.lines("hidden_told")
    return case.said("cuda_error_no_device") + told if told and not case.signs.get("created", "ran_on_gpu") else ()


def _container(case: Case) -> Lines:
    """A container in which the host's GPU cannot be reached."""
    machine = case.machine
    if not case.system or not case.system.container or case.sees_gpu or not case.nvidia_gpus:
        return ()
    nodes = () if isinstance(machine.nodes, Unavailable) else machine.nodes
    if any(node.usable for node in nodes):
        return ()
    chosen = case.system.container_gpus
    told = f"NVIDIA_VISIBLE_DEVICES={chosen}" if chosen else "NVIDIA_VISIBLE_DEVICES is not set"
    return (
        f"this is a container ({case.system.container})",
        "an NVIDIA GPU on the bus",
        "no /dev/nvidia* that opens",
        told,
    )


def _docker_in_log(case: Case) -> Lines:
    return () if case.lines("nvml_mismatch") else case.lines("no_docker_gpu")


def _no_device(case: Case) -> Lines:
    return case.said("cuda_error_no_device", "no_device") + case.lines("no_supported")


def _wsl1(case: Case) -> Lines:
    return ("WSL 1",) if case.system and case.system.wsl == 1 else case.lines("wsl1")


def _no_device_cause(case: Case) -> str:
    windows = ", or it is switched off in the Device Manager" if case.family == "windows" else ""
    return ("The NVIDIA driver answers, but shows this process no GPU: CUDA_VISIBLE_DEVICES hides them (empty, -1, or a "
            "number that is not there; a script may set it), the batch job or container was given none" + windows + ".")  # fmt: skip


def _one_without(case: Case) -> Lines:
    if not case.signs.get("created") or not case.signs.get("other_task"):
        return ()
    return case.said("cuda_error_no_device") + case.lines("created")[:1] if case.said("cuda_error_no_device") else ()


# these stand before the rules about the driver …
OUTSIDE = (
    Rule("wsl1", _wsl1, "This is WSL 1, which has no access to the GPU. WSL 2 has.",
         lambda _: (Step("In Windows, make it WSL 2, and install the NVIDIA driver in Windows.",
                         "wsl --list --verbose && wsl --set-version NAME 2"),),
         "https://docs.nvidia.com/cuda/wsl-user-guide/", explains=(*FOLLOWS, "driver_mismatch")),
    Rule("cluster_without_gpu", signs("no_node"),
         "No node of the cluster has a GPU to give: all are taken, or the device plugin does not offer them.",
         lambda _: (Step("See what the nodes offer, and whether NVIDIA’s device plugin runs.",
                         "kubectl describe nodes | grep -A8 Allocatable | grep nvidia; kubectl get pods -A | grep nvidia"),),
         TOOLKIT, explains=FOLLOWS),
    Rule("mig_without_slices", signs("no_mig"),
         "The GPU is set to be cut in slices (MIG), and has none: so there is no device to compute on.",
         lambda _: (Step("Make slices, or turn MIG off.", "sudo nvidia-smi mig -cgi 0 -C    # or: sudo nvidia-smi -mig 0"),),
         "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/", explains=FOLLOWS),
    Rule("container_runtime_missing", _docker_in_log,
         "The container engine cannot pass the GPU on: the NVIDIA Container Toolkit is missing or not set up, or the host "
         "has no working driver.",
         steps.give_container_gpu, TOOLKIT, explains=FOLLOWS),
    Rule("container_without_gpu", unless(_container, lambda case: _hidden(case) and case.machine.nodes),
         "This container was started without the GPU: the host has one, but its device files and driver are not passed in.",
         steps.give_container_gpu, TOOLKIT, explains=(*FOLLOWS, "driver_mismatch")),
    Rule("cuda_hidden", either(_hidden, _hidden_in_log), _hidden_cause,
         steps.unhide, VISIBLE,
         certainty=lambda case: "likely" if case.evidence.from_log else "certain", explains=FOLLOWS),
)  # fmt: skip
# … and these after them
NO_DEVICE = (
    Rule("one_process_without_gpu", _one_without,
         "TensorFlow made GPU devices; one process of the cluster (most often a parameter server) was given none. That is "
         "usually meant.",
         lambda _: (Step("Nothing is to be done if that process should compute on the CPU. Else give it a GPU."),),
         VISIBLE, certainty="likely", usable=True, explains=("no_device",)),
    Rule("no_device", unless(_no_device, _one_without), _no_device_cause, steps.unhide, VISIBLE, certainty="likely",
         explains=("cuda_not_found", "libraries_missing")),
)  # fmt: skip
