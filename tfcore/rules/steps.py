"""The steps that mend things, as commands for the system at hand."""

from __future__ import annotations

from tfcore.rules.base import Case, Step
from tfcore.tested_builds import belongs_to, minor


def install_driver(case: Case) -> tuple[Step, ...]:
    """Install NVIDIA's driver, or give the container what the host has."""
    if case.family == "windows":
        return (
            Step("Install the NVIDIA driver from https://www.nvidia.com/drivers and restart Windows."),
            Step("Check it: it must list the GPU.", "nvidia-smi"),
        )
    if case.in_wsl:
        return (
            Step("Use WSL 2, and install the NVIDIA driver in Windows, not in WSL. Then restart WSL from Windows.",
                 "wsl --update && wsl --shutdown"),
            Step("Check it in WSL: it must list the GPU.", "nvidia-smi"),
        )  # fmt: skip
    if case.in_container:
        return give_container_gpu(case)
    manager = case.system.packages if case.system else "apt"
    command = {
        "dnf": "sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda",
        "pacman": "sudo pacman -S nvidia nvidia-utils",
        "zypper": "sudo zypper install nvidia-driver-G06",
    }.get(manager, "sudo ubuntu-drivers install    # on Debian: sudo apt install nvidia-driver")
    return (
        Step("Install the NVIDIA driver and restart.", f"{command}\nsudo reboot"),
        Step("Check it: it must list the GPU.", "nvidia-smi"),
        Step("In a container, give it the GPU instead.", "docker run --gpus all …"),
        Step("If this machine has no NVIDIA GPU, there is nothing to mend: TensorFlow works on the CPU."),
    )


def give_container_gpu(_case: Case) -> tuple[Step, ...]:
    """Start the container so that it has the host's GPUs."""
    return (
        Step("On the host, check that the driver works: it must list the GPU.", "nvidia-smi"),
        Step("On the host, install the NVIDIA Container Toolkit once.",
             "sudo apt install nvidia-container-toolkit && sudo nvidia-ctk runtime configure --runtime=docker "
             "&& sudo systemctl restart docker"),
        Step("Start the container with the GPUs. In Kubernetes ask for nvidia.com/gpu; with Apptainer use --nv.",
             "docker run --gpus all …"),
        Step("If the image sets them, NVIDIA_VISIBLE_DEVICES must not be void or none, and "
             "NVIDIA_DRIVER_CAPABILITIES must hold compute,utility."),
    )  # fmt: skip


def update_driver(case: Case) -> tuple[Step, ...]:
    """Bring the driver up to what CUDA needs, or take a CUDA that the driver can."""
    cuda = case.built[0]
    needed = f"CUDA {cuda}" if cuda else "the CUDA in use"
    steps = [
        Step(f"Update the NVIDIA driver to one that supports {needed}{' (on the host)' if case.in_container else ''}, "
             "and restart. “CUDA Version” in the corner of nvidia-smi is the newest that a driver supports.",
             "nvidia-smi"),
    ]  # fmt: skip
    if case.in_conda or case.evidence.from_log:
        steps.append(
            Step("Or take a CUDA that the driver supports: with conda, pin the toolkit.",
                 "conda install cudatoolkit=VERSION    # newer: cuda-version=VERSION")
        )  # fmt: skip
    return tuple(steps)


def reload_driver(case: Case) -> tuple[Step, ...]:
    """Make the kernel's half of the driver and the user's half one version."""
    steps = [
        Step("Restart the computer, or reload the kernel module while no program uses the GPU.",
             "sudo reboot    # or: sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia"),
        Step("If it stays, two drivers are installed: remove the old one, and any libcuda.so that LD_LIBRARY_PATH "
             "finds before the driver’s own.",
             "ldconfig -p | grep libcuda; dpkg -l | grep nvidia-driver; echo $LD_LIBRARY_PATH"),
    ]  # fmt: skip
    if case.in_container:
        steps.insert(1, Step("In a container, restart the container too: it keeps the old libraries."))
    return tuple(steps)


def upgrade_host_driver(_case: Case) -> tuple[Step, ...]:
    """For a container whose own libcuda is newer than the host's driver."""
    return (
        Step("Upgrade the driver of the host to at least the version of the image’s libcuda, or use an image that was "
             "built for the older driver."),
        Step("If it is no container: the driver was updated without a restart, or two are installed. Restart, and keep "
             "one.", "sudo reboot"),
        Step("If the image brings libcuda in /usr/local/cuda/compat, take that folder out of LD_LIBRARY_PATH."),
    )  # fmt: skip


def unhide(case: Case) -> tuple[Step, ...]:
    """Make hidden GPUs visible."""
    unset = {"windows": "set CUDA_VISIBLE_DEVICES="}.get(case.family, "unset CUDA_VISIBLE_DEVICES")
    return (
        Step("Take CUDA_VISIBLE_DEVICES away, or set it to GPUs that exist, before Python starts; look for lines in "
             "your code that set it.", unset),
        Step("In a batch job, ask for a GPU and check it inside the job.", "srun --gres=gpu:1 nvidia-smi -L"),
        Step("In a container, start it with the GPUs.", "docker run --gpus all …"),
        Step("Where the GPU is hidden on purpose, this is expected: skip code such as set_memory_growth when "
             "tf.config.list_physical_devices('GPU') is empty."),
    )  # fmt: skip


def cuda_libraries(case: Case) -> tuple[Step, ...]:
    """Install the CUDA libraries that this TensorFlow was built for."""
    cuda, cudnn = case.built
    version = minor(case.version)
    needs = f"CUDA {cuda} and cuDNN {cudnn}, which TensorFlow {case.version} was built for" if cuda else (
        "the CUDA and the cuDNN that your TensorFlow was built for: https://www.tensorflow.org/install/source#gpu")  # fmt: skip
    steps: list[Step] = []
    if case.family == "windows":
        steps.append(Step(f"Install {needs}, and put its bin folder on PATH. Ignore the line if no GPU is meant."))
        return tuple(steps)
    if version >= (2, 14) or (not version[0] and not _wants_old_cuda(case)):
        steps.append(Step("Let pip install them beside TensorFlow (2.14 and later).",
                          "python -m pip install --upgrade 'tensorflow[and-cuda]'"))  # fmt: skip
    steps.append(Step(f"Or install {needs}, and let LD_LIBRARY_PATH find them.",
                      "export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH"))  # fmt: skip
    if case.in_conda:
        steps.append(Step("In conda, install the CUDA libraries of that version in the environment.",
                          "conda install -c conda-forge cuda-version=12 libcublas libcufft libcusolver libcusparse cudnn"))  # fmt: skip
    return tuple(steps)


def _wants_old_cuda(case: Case) -> bool:
    """Whether the log names libraries of a CUDA before 12, which pip's extra does not bring."""
    wanted = [belongs_to(seen.groups.get("lib", "")) for seen in case.signs.get("missing", "opened")]
    return any(name.startswith(("CUDA 7", "CUDA 8", "CUDA 9", "CUDA 10", "CUDA 11")) for name in wanted)


def cudnn(case: Case) -> tuple[Step, ...]:
    """Install the cuDNN that is needed."""
    wanted = case.word("cudnn_versions", "wanted") or case.built[1]
    newer = f" to {wanted} or later, of the same major version," if wanted else ""
    return (
        Step(f"Upgrade cuDNN{newer} and make sure that it is found first: another framework’s wheel may bring an older "
             "one.", "python -m pip install --upgrade 'nvidia-cudnn-cu12' && python -m pip list | grep -i cudnn"),
        Step("Or use a TensorFlow that was built for the cuDNN you have. On a Jetson, use the wheel made for your JetPack, "
             "or upgrade JetPack."),
    )  # fmt: skip


def free_memory(_case: Case) -> tuple[Step, ...]:
    """End what holds the GPU's memory, or take less."""
    return (
        Step("See who holds the GPU’s memory, and end what is not needed.", "nvidia-smi"),
        Step("Let TensorFlow take memory as it needs it, instead of all at once; in the dashboard’s sidebar this is “GPU "
             "memory: grow on demand”, in TensorFlow 1 allow_growth.",
             "tf.config.experimental.set_memory_growth(gpu, True)"),
        Step("Or set a limit, or choose smaller batches."),
    )  # fmt: skip


def newer_build(case: Case) -> tuple[Step, ...]:
    """Use a TensorFlow that has kernels for this GPU."""
    return (
        Step("Use a newer TensorFlow, whose wheels have kernels for this GPU.",
             "python -m pip install --upgrade 'tensorflow[and-cuda]'"),
        Step("Or NVIDIA’s container, which is built for the newest GPUs.",
             "docker run --gpus all nvcr.io/nvidia/tensorflow:25.02-tf2-py3"),
        Step("Or build TensorFlow yourself with a CUDA that knows the GPU (12.8 or later for compute capability 12.0)."),
        Step("If it only compiles for long: do not interrupt the first call, and keep the result.",
             "export CUDA_CACHE_MAXSIZE=4294967296"),
    )  # fmt: skip


def older_build(_case: Case) -> tuple[Step, ...]:
    """For a GPU that is older than the binary's list."""
    return (
        Step("Use an older TensorFlow, whose binaries still have kernels for this GPU, or build TensorFlow from source "
             "with the GPU’s compute capability (TF_CUDA_COMPUTE_CAPABILITIES; before TensorFlow 1: "
             "TF_UNOFFICIAL_SETTING=1)."),
        Step("Or use a newer GPU, or the CPU."),
    )  # fmt: skip


def windows(_case: Case) -> tuple[Step, ...]:
    """Where Windows' own TensorFlow has no CUDA any more."""
    return (
        Step("Use WSL 2, where TensorFlow finds the GPU of Windows.",
             "wsl --install    # then, in WSL: python3 -m pip install 'tensorflow[and-cuda]'"),
        Step("Or stay on the last TensorFlow with CUDA for native Windows, with CUDA 11.2 and cuDNN 8.1.",
             'python -m pip install "tensorflow<2.11"'),
        Step("Or use DirectML.", "python -m pip install tensorflow-cpu==2.10 tensorflow-directml-plugin"),
    )  # fmt: skip


def directml(_case: Case) -> tuple[Step, ...]:
    """Install what fits together for DirectML."""
    return (Step("Install the pair that fits together.",
                 "python -m pip install tensorflow-cpu==2.10 tensorflow-directml-plugin"),)  # fmt: skip


def show_more(_case: Case) -> tuple[Step, ...]:
    """Ask for what would tell."""
    return (
        Step("Run this and paste all of what it prints.",
             'TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_MAX_VLOG_LEVEL=1 python -c "import tensorflow as tf; print(tf.__version__, '
             "tf.test.is_built_with_cuda(), tf.config.list_physical_devices())\""),
        Step("And what the driver says.", "nvidia-smi"),
    )  # fmt: skip


def nothing(_case: Case) -> tuple[Step, ...]:
    """Nothing is to be done."""
    return (Step("Nothing is to be done."),)
