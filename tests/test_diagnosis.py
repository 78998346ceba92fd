from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcore import log_signs
from tfcore.devices import Unavailable
from tfcore.diagnosis import as_dict, diagnose
from tfcore.evidence import (
    TITLES,
    CudaAnswer,
    Evidence,
    Gpu,
    GpuMemory,
    Holder,
    Library,
    Machine,
    Node,
    Package,
    SeenGpu,
    System,
    TensorFlowAnswer,
)
from tfcore.rules import RULES

OLD = "2019-11-01 15:08:57.658577: {} tensorflow/stream_executor/cuda/cuda_driver.cc:318] "
NEW = "{}0000 00:00:1732959190.581204       4 {}:23] "
CUINIT = OLD.format("E") + "failed call to cuInit: "
DLOPEN = (
    "Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly"
)
FACTORY = "Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been"
FOUND = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:885] Found device 0 with properties: \nname: GTX 1080\n"


def of_log(text: str):
    return diagnose(Evidence(signs=log_signs.read(iter([text.encode()])), from_log=True))


@pytest.mark.parametrize(
    ("log", "rule", "cause", "fix"),
    [
        (CUINIT + "UNKNOWN ERROR (303)", "driver_absent", "No NVIDIA driver", "Install the NVIDIA driver"),
        ("Failed call to cuInit: UNKNOWN ERROR (303)", "driver_absent", "libcuda.so.1", "docker run --gpus all"),
        ("Could not load dynamic library 'nvcuda.dll'; dlerror: nvcuda.dll not found", "driver_absent", "nvcuda.dll", "nvidia.com/drivers"),
        (CUINIT + "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected\nkernel version seems to match DSO: 515.43.4",
         "no_device", "CUDA_VISIBLE_DEVICES hides", "unset CUDA_VISIBLE_DEVICES"),
        (CUINIT + "CUDA_ERROR_NO_DEVICE\nkernel driver does not appear to be running on this host (h): /proc/driver/nvidia/version "
         "does not exist", "driver_not_running", "cuda/compat", "docker run --gpus all"),
        (CUINIT + "UNKNOWN ERROR (-1)\n/dev/nvidia0 does not exist", "device_files_absent", "device files", "nvidia-modprobe"),
        (CUINIT + "CUDA_ERROR_NO_DEVICE\nkernel version 384.130.0 does not match DSO version 375.66.0 -- cannot find",
         "driver_mismatch", "left over", "Restart the computer"),
        (CUINIT + "CUDA_ERROR_NO_DEVICE\nkernel version 455.32.0 does not match DSO version 460.73.1 -- cannot find",
         "driver_mismatch", "newer than the host’s driver", "Upgrade the driver of the host"),
        ("libcuda reported version is: 375.66.0\nkernel reported version is: 384.130.0", "driver_mismatch", "375.66.0", "remove the old one"),
        ("Failed to initialize NVML: Driver/library version mismatch", "driver_mismatch", "do not match", "reboot"),
        (CUINIT + "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: forward compatibility was attempted", "compat_not_supported",
         "forward-compatibility", "Update the NVIDIA driver"),
        (CUINIT + "CUDA_ERROR_UNKNOWN: unknown error", "unknown_error", "suspend", "modprobe nvidia_uvm"),
        (CUINIT + "CUDA_ERROR_STUB_LIBRARY: CUDA driver is a stub library", "stub_library", "stub", "LD_LIBRARY_PATH"),
        (CUINIT + "CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized", "system_not_ready", "Fabric Manager", "nvidia-fabricmanager"),
        (CUINIT + "CUDA_ERROR_ILLEGAL_STATE: rare", "driver_error", "rare", "nvidia-smi"),
        ("cudaGetDevice() failed. Status: CUDA driver version is insufficient for CUDA runtime version", "driver_too_old",
         "older than the CUDA", "Update the NVIDIA driver"),
        ("ptxas application ptx input, line 9; fatal : Unsupported .version 8.8; current version is '8.6'", "driver_too_old",
         "older than the CUDA", "nvidia-smi"),
        ("nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.5, please update your driver", "driver_too_old",
         "older", "Update"),
        ('docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
         "container_runtime_missing", "Container Toolkit", "nvidia-container-toolkit"),
        ("Failed to initialize NVML: Unknown Error", "container_lost_gpu", "lost its GPU", "Restart the container"),
        ("Could not dlopen library 'libcudart.so.10.0'; dlerror: libcudart.so.10.0: cannot open; LD_LIBRARY_PATH: /usr/local/cuda-10.1/lib64",
         "library_missing", "CUDA 10.1 is installed instead", "Install CUDA 10.0"),
        ("Could not load dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared object file",
         "library_dependency_missing", "libnvJitLink.so.12", "nvidia-nvjitlink-cu12"),
        ("Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found\nIgnore above cudart dlerror",
         "library_missing", "CUDA 11", "bin folder on PATH"),
        ("Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file", "library_missing",
         "cuDNN 8", "cudnn"),
        ("2024-01-01 00:00:00.000000: W tensorflow/core/common_runtime/gpu/gpu_device.cc:2251] " + DLOPEN, "libraries_missing",
         "does not say which", "nvidia/*/lib"),
        (NEW.format("W", "gpu_device.cc") + DLOPEN, "libraries_missing", "cuDNN 9", "cudnn9-cuda-12"),
        (NEW.format("E", "cuda_dnn.cc") + FACTORY + "\nW0000 00:00:1732959190.581204       4 gpu_device.cc:23[44", "cut_short",
         "cuDNN 9", "cudnn9-cuda-12"),
        ("Could not find cuda drivers on your machine, GPU will not be used.", "cuda_not_found", "only the CUDA libraries", "nvidia-smi"),
        ("Ignoring visible gpu device (device: 0, name: GRID K520) with Cuda compute capability 3.0. The minimum required Cuda "
         "capability is 3.5.", "capability_too_old", "3.0", "from source"),
        ("Ignoring visible gpu device (device: 1, name: GT 710) with core count: 2. The minimum required count is 8.",
         "too_few_multiprocessors", "fewer multiprocessors", "TF_MIN_GPU_MULTIPROCESSOR_COUNT"),
        ("TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0. CUDA kernels will be "
         "jit-compiled\nCUDA_ERROR_INVALID_HANDLE", "capability_too_new", "12.0", "nvcr.io"),
        ("TensorFlow was not built with CUDA kernel binaries compatible with compute capability 9.0. CUDA kernels will be "
         "jit-compiled from PTX", "slow_first_call", "half an hour", "Wait once"),
        ("CUDA error: no kernel image is available for execution on the device", "capability_too_new", "no code for the GPU", "newer TensorFlow"),
        ("Falling back to the CUDA driver for PTX compilation; ptxas does not support CC 9.0", "ptxas_too_old", "PATH", "which -a ptxas"),
        ("No PTX compilation provider is available. Neither ptxas/nvlink nor nvjtlink", "ptxas_missing", "ptxas", "nvidia-cuda-nvcc"),
        ("INTERNAL: libdevice not found at ./libdevice.10.bc", "libdevice_missing", "libdevice", "--xla_gpu_cuda_data_dir"),
        ("Loaded runtime CuDNN library: 8.1.1 but source was compiled with: 8.6.0.  CuDNN library needs", "cudnn_older", "8.1.1", "Upgrade cuDNN to 8.6.0"),
        ("Loaded runtime CuDNN library: 5005 (compatibility version 5000) but source was compiled with 5105", "cudnn_older", "5105", "Upgrade cuDNN"),
        ("Total memory: 7.92GiB\nFree memory: 190.31MiB\nfailed to allocate 190.31M (1 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",
         "memory_held", "another process", "nvidia-smi"),
        ("tf.test.is_built_with_cuda() = False", "cpu_package", "CPU-only", "tensorflow[and-cuda]"),
        ("2.12.0\nTensor Flow Version: 2.12.0\nGPU is NOT AVAILABLE", "built_without_cuda", "Windows", "tensorflow<2.11"),
        ("C:\\Users\\me>python\n>>> tf.__version__\n'2.13.0'\nNum GPUs Available:  0", "windows_native", "2.11", "wsl --install"),
        ("ERROR: No matching distribution found for tensorflow==2.18", "python_unsupported", "Python", "python3.12"),
        ("ModuleNotFoundError: No module named 'tensorflow'", "tensorflow_missing", "not installed", "pip install"),
        ("Illegal instruction (core dumped)", "cpu_too_old", "AVX", "AVX"),
        (FOUND, "log_ends_early", "NUMA", "cuDNN"),
        (FOUND + "Adding visible gpu devices: 0\nTraceback (most recent call last):", "stopped_at_device", "insufficient", "Update"),
        ("available devices are [ /job:localhost/replica:0/task:0/device:CPU:0, /job:localhost/replica:0/task:0/device:XLA_GPU:0 ]",
         "xla_gpu_only", "XLA_GPU", "CUDA"),
        ("Created device /job:localhost/replica:0/task:0/device:GPU:0 with 6400 MB memory:  -> device: 0, name: T4", "nothing_wrong",
         "Nothing is wrong", "Nothing"),
        ("Created TensorFlow device (/job:localhost/replica:0/task:0/device:GPU:0 with 0 MB memory) -> physical PluggableDevice "
         "(device: 0, name: METAL, pci bus id: <undefined>)", "nothing_wrong", "Nothing is wrong", "Nothing"),
    ],
)  # fmt: skip
def test_the_first_finding_of_a_log_names_the_cause_and_the_fix(log, rule, cause, fix):
    found = of_log(log)
    assert found.root.rule == rule
    assert cause in found.root.cause
    assert fix in found.root.fix_text


@pytest.mark.parametrize(
    "line",
    [
        FACTORY, "computation placer already registered. Please check linkage",
        "successful NUMA node read from SysFS had negative value (-1)", "could not open file to read NUMA node: /sys/bus/pci",
        "TF-TRT Warning: Could not find TensorRT", "MLIR V1 optimization pass is not enabled",
        "Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object file",
        "oneDNN custom operations are on.", "(DEBUG INFO) Executor start aborting", "Collective ops is not configured",
    ],
)  # fmt: skip
def test_a_harmless_line_is_never_the_cause(line):
    found = of_log(f"2020-01-01 00:00:00.000000: E tensorflow/x.cc:1] {line}\n")
    assert found.usable is None
    assert found.root.rule in ("only_harmless", "cannot_tell")
    with_cause = of_log(f"{line}\n{CUINIT}CUDA_ERROR_UNKNOWN: unknown error\n{line}\n")
    assert with_cause.root.rule == "unknown_error"


@pytest.mark.parametrize("text", ["", "\n\n", "GET / HTTP/1.1 200\n" * 50, "\x00\x01\x02" * 100, "hello"])
def test_what_is_no_log_of_tensorflow_gives_no_answer(text):
    found = of_log(text)
    assert (found.root.rule, found.usable) == ("cannot_tell", None)
    assert "paste" in found.root.fix_text


@given(st.binary(max_size=2000))
def test_any_bytes_give_an_answer(data):
    assert diagnose(Evidence(signs=log_signs.read(iter([data])), from_log=True)).root.cause


def test_what_follows_from_the_cause_stands_after_it_and_says_so():
    found = of_log(f"{CUINIT}CUDA_ERROR_NO_DEVICE\nkernel version 1.2 does not match DSO version 1.3 -- cannot find")
    assert [(each.rule, each.consequence_of) for each in found.findings] == [
        ("driver_mismatch", ""), ("no_device", "driver_mismatch"),
    ]  # fmt: skip


def test_what_a_log_cannot_show_is_listed_as_unknown():
    assert ("free memory now and who holds it", "a log does not show it") in of_log("x").unknown


def test_every_rule_has_a_name_of_its_own_a_source_and_explains_rules_that_exist():
    names = [rule.name for rule in RULES] + ["cannot_tell", "cut_short"]
    assert len(set(names)) == len(RULES) + 1
    assert all(rule.source.startswith("https://") for rule in RULES)
    assert {name for rule in RULES for name in rule.explains} <= set(names)


NONE = Unavailable("none here")
LINUX = System("linux", "Ubuntu 24.04", "6.8", packages="apt", python="3.12.1")
ANSWER = TensorFlowAnswer("2.21.0", True, False, "12.5.1", "9", ("sm_60", "sm_80", "compute_90"), ())
T4 = SeenGpu("GPU:0", "Tesla T4", "7.5", 14_000)
HEALTHY = Machine(
    system=LINUX, gpus=(Gpu("nvidia", "0000:01:00.0", "nvidia"),), nodes=(Node("/dev/nvidia0", True),),
    module_version="550.54", module_on_disk="550.54", other_modules=(), driver_library=Library("libcuda.so.1", "/lib/x", "550.54"),
    cuda=CudaAnswer(0, "CUDA_SUCCESS", "12.4", 1), nvml="550.54", memory=(GpuMemory(0, "T4", 2**34, 2**33),), libraries=(),
    packages=(Package("tensorflow", "2.21.0"),), environment={}, nvidia_smi="GPU 0",
)  # fmt: skip
BARE = Machine(
    system=LINUX, gpus=(), nodes=(), module_version=Unavailable("no kernel module nvidia is loaded"), module_on_disk=NONE,
    other_modules=(), driver_library=Library("libcuda.so.1", reason="libcuda.so.1: cannot open"), cuda=NONE, nvml=NONE, memory=NONE,
    libraries=(Library("libcudart.so.12", reason="libcudart.so.12: cannot open"),), packages=(Package("tensorflow", "2.21.0"),),
    environment={}, nvidia_smi=NONE,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "answer", "rule"),
    [
        ({}, replace(ANSWER, gpus=(T4,)), "nothing_wrong"),
        ({"environment": {"CUDA_VISIBLE_DEVICES": ""}}, ANSWER, "cuda_hidden"),
        ({"environment": {"CUDA_VISIBLE_DEVICES": "-1"}}, ANSWER, "cuda_hidden"),
        ({"environment": {"CUDA_VISIBLE_DEVICES": "7"}}, ANSWER, "cuda_hidden"),
        ({"environment": {"CUDA_VISIBLE_DEVICES": "0"}}, replace(ANSWER, gpus=(T4,)), "nothing_wrong"),
        ({"module_version": "535.1"}, ANSWER, "driver_mismatch"),
        ({"module_on_disk": "560.1"}, ANSWER, "driver_just_upgraded"),
        ({"module_version": Unavailable("no kernel module nvidia is loaded"), "nodes": ()}, ANSWER, "driver_not_running"),
        ({"nodes": (Node("/dev/nvidia0", False),)}, ANSWER, "device_files_forbidden"),
        ({"nodes": ()}, ANSWER, "device_files_absent"),
        ({"system": replace(LINUX, container="Docker"), "nodes": ()}, ANSWER, "container_without_gpu"),
        ({"driver_library": Library("libcuda.so.1", reason="libcuda.so.1: cannot open"), "cuda": NONE}, ANSWER, "driver_absent"),
        ({"libraries": (Library("libcudnn.so.9", reason="libcudnn.so.9: cannot open"),)}, ANSWER, "library_missing"),
        ({"libraries": (Library("libcudnn.so.9", reason="libz.so.1: cannot open"),)}, ANSWER, "library_dependency_missing"),
        ({"libraries": (Library("libcudnn.so.9", reason="it crashed (SIGSEGV)"),)}, ANSWER, "library_damaged"),
        ({"cuda": CudaAnswer(802, "CUDA_ERROR_SYSTEM_NOT_READY")}, ANSWER, "system_not_ready"),
        ({"nvml": NONE}, ANSWER, "driver_incomplete"),
        ({"cuda": CudaAnswer(0, "CUDA_SUCCESS", "11.4", 1)}, ANSWER, "driver_too_old"),
        ({"libraries": (Library("libcudnn.so.9", "/x", "9.1.0"),)}, replace(ANSWER, gpus=(T4,)), "cudnn_older"),
        ({}, replace(ANSWER, built_with_cuda=False), "cpu_package"),
        ({"packages": (Package("tensorflow-cpu", "2.21"),)}, Unavailable("x"), "cpu_package"),
        ({"packages": (Package("tensorflow", "2"), Package("tensorflow-cpu", "2"))}, ANSWER, "several_packages"),
        ({"packages": ()}, Unavailable("x"), "tensorflow_missing"),
        ({"packages": (), "system": replace(LINUX, python="3.14.0")}, Unavailable("x"), "python_unsupported"),
        ({"system": replace(LINUX, family="windows")}, replace(ANSWER, built_with_cuda=False), "windows_native"),
        ({"system": replace(LINUX, family="macos")}, replace(ANSWER, built_with_cuda=False), "macos_without_metal"),
        ({}, replace(ANSWER, gpus=(replace(T4, compute_capability="3.5"),)), "capability_too_old"),
        ({}, Unavailable("TensorFlow cannot be imported, so nothing can run."), "import_fails"),
        ({}, ANSWER, "cannot_tell"),
    ],
)  # fmt: skip
def test_the_first_finding_of_a_machine(changes, answer, rule):
    assert diagnose(Evidence(replace(HEALTHY, **changes), answer)).root.rule == rule


def test_a_machine_without_a_gpu_is_not_broken_and_the_rest_follows_from_that():
    found = diagnose(Evidence(BARE, ANSWER))
    assert found.root.rule == "no_gpu_in_machine"
    assert "Nothing is broken" in found.root.fix_text
    assert all(each.consequence_of for each in found.findings[1:])
    amd = diagnose(Evidence(replace(BARE, gpus=(Gpu("amd", "0000:03:00.0", "amdgpu"),)), ANSWER))
    assert amd.root.rule == "amd_without_rocm"


def test_who_holds_the_memory_is_named():
    held = GpuMemory(0, "T4", 2**34, 2**27, (Holder(4711, "python", "ann", 2**33),))
    log = "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 12 MB memory:  -> device: 0, name: T4"
    signs = log_signs.read(iter([log.encode()]))
    found = diagnose(Evidence(replace(HEALTHY, memory=(held,)), replace(ANSWER, gpus=(T4,)), signs))
    assert (found.root.rule, found.usable) == ("memory_held", False)
    assert "python of ann (process 4711)" in found.root.cause


@pytest.mark.parametrize("name", list(TITLES))
def test_any_evidence_may_be_missing(name):
    for machine in (HEALTHY, BARE):
        found = diagnose(Evidence(replace(machine, **{name: Unavailable("no such thing")}), ANSWER))
        assert found.root.cause
        assert (TITLES[name], "no such thing") in found.unknown


def test_nothing_at_all_is_known_and_there_is_an_answer():
    assert diagnose(Evidence()).root.rule == "cannot_tell"


def test_json_has_what_is_promised():
    found = as_dict(of_log(CUINIT + "UNKNOWN ERROR (303)"))
    assert found["usable"] is False
    assert {"rule", "cause", "certainty", "evidence", "fix"} <= set(found["findings"][0])


@pytest.mark.parametrize(
    ("log", "rule", "fix"),
    [
        ('"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"', "amd_gpu_unsupported", "HSA_OVERRIDE_GFX_VERSION"),
        ("E rocm_driver.cc:302] failed call to hipInit: HIP_ERROR_NoDevice", "amd_gpu_hidden", "render"),
        ("Could not load dynamic library 'libamdhip64.so'; dlerror: libamdhip64.so: cannot open", "rocm_missing", "amdgpu-install"),
        ("DirectML device enumeration: found 0 compatible adapters.", "directml_no_adapter", "wsl --update"),
        ("NotFoundError: C:\\x\\tensorflow-plugins\\tfdml_plugin.dll not found", "directml_misfit", "tensorflow-cpu==2.10"),
        ("dlopen(/x/tensorflow-plugins/libmetal_plugin.dylib, 0x0006): Symbol not found: __ZN3tsl8internal", "metal_misfit", "plugin"),
        ("Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file", "library_dependency_missing", "libnvrtc"),
        ("Could not load library libcudnn_cnn_infer.so.8. Error: /x/libcudnn_cnn_infer.so.8: undefined symbol: _ZN5", "library_damaged", "anew"),
        ("Could not locate zlibwapi.dll. Please make sure it is in your library path!", "zlib_missing", "PATH"),
        ("Status: all CUDA-capable devices are busy or unavailable", "gpu_busy", "nvidia-smi"),
        ("LLVM ERROR: PTX version 8.5 does not support target 'sm_120'", "capability_too_new", "newer TensorFlow"),
        ("ImportError: Could not find 'msvcp140.dll'. TensorFlow requires that this DLL be installed", "import_fails", "Visual C++"),
        ('The "tensorflow-gpu" package has been removed!', "package_removed", "tensorflow[and-cuda]"),
        ("ImportError: libcuda.so.1: wrong ELF class: ELFCLASS32", "library_damaged", "Remove it"),
        ("libstdc++.so.6: version `CXXABI_1.3.8' not found (required by x.so)", "system_too_old", "libstdcxx-ng"),
        ("nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown.", "driver_mismatch", "Restart"),
        ("modprobe: ERROR: could not insert 'nvidia': Key was rejected by service", "secure_boot", "mokutil"),
        ("$ nvidia-smi\nNo devices were found\n", "gpu_not_started", "dmesg"),
        ("MIG devices:\n  No MIG devices found\n", "mig_without_slices", "nvidia-smi mig"),
        ("failed call to cuInit: UNKNOWN ERROR (34)", "stub_library", "stubs"),
        ("failed call to cuInit: UNKNOWN ERROR (100)", "no_device", "CUDA_VISIBLE_DEVICES"),
        ("could not retrieve CUDA device count: CUDA_ERROR_NOT_INITIALIZED: initialization error", "used_after_fork", "spawn"),
        ("Linux version 4.4.0-19041-Microsoft\nfailed call to cuInit: UNKNOWN ERROR (303)", "wsl1", "--set-version"),
        ("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", "cluster_without_gpu", "kubectl"),
        ("failed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED", "cublas_failed", "nvidia-smi"),
        ("name: GT 730, compute capability: 3.5\nCreated TensorFlow device (/device:GPU:0 with 1 MB memory) -> physical GPU (name: GT 730, "
         "compute capability: 3.5)\nno kernel image is available for execution on the device", "capability_too_old", "older TensorFlow"),
        (">>> tf.config.set_visible_devices([], 'GPU')\n", "cuda_hidden", "CUDA_VISIBLE_DEVICES"),
        ("Library not loaded: @rpath/libcudart.8.0.dylib", "library_missing", "CUDA 8.0"),
        ("Successfully opened dynamic library libcublas.so.11\nCould not load dynamic library 'libcusolver.so.10'; dlerror: x", "library_missing", "CUDA 11.0"),
        ("Successfully opened dynamic library libcublas.so.11\nCould not load dynamic library 'libcudnn.so.8'; dlerror: x", "library_missing", "nvidia-cudnn-cu11"),
        ("Could not dlopen library 'libcudnn.so.7'; dlerror: x", "library_missing", "archive"),
    ],
)  # fmt: skip
def test_rarer_faults_are_known_by_their_words(log, rule, fix):
    found = of_log(log)
    assert found.root.rule == rule
    assert fix in found.root.fix_text


def test_a_computation_that_failed_is_not_nothing_though_the_gpu_is_seen():
    made = "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 6400 MB memory:  -> device: 0, name: T4\n"
    found = of_log(made + "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure")
    assert (found.root.rule, found.usable) == ("failed_in_use", True)


def test_what_the_allocator_says_is_no_failure_is_none():
    made = "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 6400 MB memory:  -> device: 0, name: T4\n"
    told = "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.13GiB. The caller indicates that this is not a failure"
    assert of_log(made + told).root.rule == "nothing_wrong"


def test_a_fault_that_a_later_run_has_overcome_is_not_the_cause():
    made = "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 6400 MB memory:  -> device: 0, name: T4\n"
    missing = "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object file\n"
    assert of_log(missing + made).root.rule == "nothing_wrong"
    old = "Couldn't open CUDA library libcudnn.so.6.5. LD_LIBRARY_PATH: \n"
    assert of_log(old + made).root.rule == "library_missing"
