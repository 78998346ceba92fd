"""The signs that a log may hold: a name, words that stand in the line, and an expression where they do not settle it."""

from __future__ import annotations

LIB = r"['\"‘`]?(?P<lib>[\w.+-]*?(?:\.so[.\d]*|\.dll|\.dylib))\b['\"’`]?"

# name, words that stand in the line (any of them), expression (the words alone settle it where there is none)
TABLE: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # what was found, and what works
    ("created", ("created tensorflow device", "created device", "creating tensorflow device"),
     r"creat(?:ed|ing) (?:tensorflow )?device \(?(?P<device>\S+?)\)?(?: with (?P<mb>\d+) mb memory)?\)?\s*:?\s*->"),
    ("ran_on_gpu", ("device:gpu:", "/gpu:"),
     r"executing op \S+ in device \S*gpu:\d|^\S+: (?:\(\w+\):? ?)?/job:\S*(?:device:GPU:\d|/gpu:\d)"),
    ("listed_gpu", ("physical_device:gpu:", "device_type='gpu'", "device_type: \"gpu\""), ""),
    ("found_device", ("found device ",), r"found device \d+ with properties"),
    ("adding_visible", ("adding visible gpu devices",), r"adding visible gpu devices: \d"),
    ("opened", ("successfully opened", "opened cuda library"),
     r"opened (?:dynamic library|cuda library) (?P<lib>\S+)"),
    ("no_gpu_told", ("gpus available", "gpu available", "not available", "no gpu", "is_gpu_available", "gpu device not found",
                     "install gpu version of tf", "gpu: []", "list_physical_devices"),
     r"num gpus available:\s*0|gpu is not available|gpus? available:? *(?:false|no\b|0|\[\])|no gpu found|no gpu.?/tpu found"
     r"|is_gpu_available\W+false|gpu device not found|no gpu devices? (?:were |was )?found|please install gpu version of tf"
     r"|no gpus? (?:is |are )?(?:available|detected)|gpu:\s*\[\]"
     r"|list_physical_devices\(\W?gpu\W?\)\W+\[\]|no gpu devices available on machine"),
    ("xla_gpu_only", ("xla_gpu",), r"available devices are \[(?![^\]]*device:gpu:)[^\]]*xla_gpu|registered devices: \[(?![^\]]*, gpu)[^\]]*xla_gpu"),
    ("strict_without_gpu", ("device mapping: no known devices", "registered devices: [cpu]", "registered devices: [cpu, xla_cpu]",
                            "available devices are [", "there are non-gpu devices"),
     r"no known devices|registered devices: \[cpu(?:, xla_cpu)?\]|available devices are \[(?![^\]]*gpu)|non-gpu devices"),
    # the driver
    ("cuinit", ("cuinit",), r"failed call to cuinit: (?:internal: cuda error: |resource_exhausted: )?"
     r"(?:failed call to cuinit: )?(?P<code>cuda_error_\w+|unknown error \(-?\d+\)|[\w ]+)"),
    ("cuda_error", ("cuda_error_", "cudaerror"), r"(?P<code>cuda_?error_?\w+)"),
    ("mismatch", ("does not match dso version",), r"kernel version (?P<kernel>[\d.]+) does not match dso version (?P<dso>[\d.]+)"),
    ("nvml_mismatch", ("driver/library version mismatch", "api mismatch: the client"), ""),
    ("kernel_version", ("kernel reported version is", "kernel module  ", "nvrm version"),
     r"(?:kernel reported version is: |kernel module\s+(?:for x86_64\s+)?)(?P<version>\d[\d.]+)"),
    ("dso_version", ("libcuda reported version is",), r"libcuda reported version is: (?P<version>[\d.]+)"),
    ("matches", ("kernel version seems to match dso",), ""),
    ("no_kernel_driver", ("kernel driver does not appear to be running", "couldn't communicate with the nvidia driver",
                          "could not communicate with the nvidia driver"), ""),
    ("no_kernel_file", ("/proc/driver/nvidia/version",), r"could not open|no such file|does not exist|not found"),
    ("no_nodes", ("/dev/nvidia",), r"/dev/nvidia\w*\S* (?:does not exist|not found|no such)|no such file.*/dev/nvidia"),
    ("driver_insufficient", ("insufficient for cuda runtime", "cudaerrorinsufficientdriver", "insufficient driver",
                             "driver is too old", "driver on your system is too old"), ""),
    ("requirement", ("requirement error: unsatisfied condition",), r"condition: (?P<condition>[^,;]+)"),
    ("nvml_unknown", ("failed to initialize nvml: unknown error",), ""),
    ("smi_no_devices", ("no devices were found",), ""),
    ("smi_missing", ("nvidia-smi",), r"nvidia-smi\W+(?:command )?not found|nvidia-smi: not found|'nvidia-smi' is not recognized"),
    ("gpu_lost", ("gpu is lost", "fallen off the bus", "unable to determine the device handle"), ""),
    ("no_docker_gpu", ("could not select device driver", "unknown runtime specified nvidia", "unknown or invalid runtime name: nvidia",
                       "nvidia-container-cli: initialization error", "nvidia driver was not detected"), ""),
    ("hidden_told", ("cuda_visible_devices", "visible devices"),
     r"cuda_visible_devices\W{0,6}\s*[=:,]\s*[\"']?(?P<value>-1|no_?dev\w*|none|void|\$\w+|[\"']|$)"
     r"|cuda_visible_devices[\"']?\] *= *[\"'](?P<value2>-1|)[\"']|invisible|set_visible_devices\(\[\]"),
    # libraries
    ("missing", ("could not load dynamic library", "could not dlopen library", "couldn't open cuda library",
                 "could not load library", "cannot open shared object file", "could not find '", "unable to load ",
                 "could not locate or load", "unable to locate", "could not load symbol", "cannot load dynamic library",
                 "cannot find or load", "not found. please install"),
     r"(?:could not (?:load dynamic|dlopen|load) library|cannot load dynamic library|couldn't open cuda library|could not find"
     r"|unable to load|could not (?:locate|find) or load|cannot find or load|unable to locate|error loading|importerror:?)"
     rf"(?: any of)?(?: the)?\s*{LIB}"
     r"(?:.*?dlerror:? *(?P<dlerror>.*))?|(?P<direct>lib(?:cu|nv|nccl)[\w.+-]*\.so[.\d]*): cannot open shared object file"),
    ("dlopen", ("cannot dlopen some gpu libraries", "could not dlopen all the necessary", "cannot dlopen all cuda"), ""),
    ("cut_warning", ("gpu_device.cc",), r"^\W*(?:\(.*?\) *)?W\S* [^\]]*gpu_device\.cc:\d[\d\[\]]*\s*$"),
    ("stub", ("could not find cuda drivers on your machine", "ignore above cudart dlerror"), ""),
    ("driver_dll", ("nvcuda.dll", "libcuda.so"),
     r"(?:could not (?:load|dlopen|find)[^;]*?|unable to (?:load|find)[^;]*?|couldn't open cuda library )"
     r"['\"‘`]?(?:nvcuda\.dll|libcuda\.so)|libcuda\.so\.1: cannot open|libcuda\.so not found"),
    ("cudnn_versions", ("loaded runtime cudnn library", "loaded cudnn library"),
     r"loaded (?:runtime )?cudnn library: (?P<loaded>[\d.]+)[^:]*but source was compiled (?:with|against)"
     r":? ?(?P<wanted>\d+(?:\.\d+)*)"),
    ("no_cudnn", ("dnn library is not found", "dnn library initialization failed", "no dnn in stream executor",
                  "cannot find cudnn", "unable to load cudnn"), ""),
    ("cudnn_handle", ("could not create cudnn handle", "could not create cublas handle", "cublas_status_not_initialized",
                      "cublas_status_alloc_failed", "failed to create cublas handle", "cudnn_status_alloc_failed"), ""),
    ("no_version", ("no version information available", "undefined symbol", "invalid elf header", "file too short",
                    "wrong elf class", "version `glibc", "version `cxxabi"), ""),
    # the GPU itself
    ("too_old", ("minimum required cuda capability", "minimum required compute capability"),
     r"compute capability:? (?P<has>\d+(?:\.\d+)?)?.*?minimum required (?:cuda|compute) capability is (?P<wants>\d+(?:\.\d+)?)"),
    ("few_cores", ("minimum required count", "tf_min_gpu_multiprocessor_count"),
     r"core count: ?(?P<has>\d+)|tf_min_gpu_multiprocessor_count"),
    ("jit", ("not built with cuda kernel binaries compatible",), r"compute capability (?P<has>\d+\.\d+a?)"),
    ("no_kernel_image", ("no kernel image is available", "no_binary_for_gpu", "nokernelimagefordevice",
                         "device kernel image is invalid"), ""),
    ("bad_ptx", ("invalid_ptx", "invalid_handle", "ptx jit compilation failed"),
     r"cuda_error_invalid_(?:ptx|handle)|ptx jit compilation failed"),
    ("new_ptx", ("unsupported_ptx_version", "unsupported .version", "compiled with an unsupported toolchain"), ""),
    # memory
    ("no_memory", ("failed to alloc", "cuda_error_out_of_memory", "cudaerrormemoryallocation"),
     r"failed to alloc|out_of_memory|out of memory|cudaerrormemoryallocation"),
    ("free_memory", ("free memory", "freememory"),
     r"total ?memory: *(?P<total>[\d.]+) *(?P<tu>[gm])i?b.*?free ?memory: *(?P<free>[\d.]+) *(?P<fu>[gm])i?b"
     r"|free ?memory: *(?P<free2>[\d.]+) *(?P<fu2>[gm])i?b"),
    ("allocator_full", ("ran out of memory trying to allocate", "oom when allocating tensor", "resource exhausted: oom"), ""),
    # compiling for the GPU
    ("libdevice", ("libdevice",), r"can't find libdevice|libdevice (?:is required|not found)|not found at \./libdevice|libdevice\.10\.bc"),
    ("ptxas_old", ("ptxas does not support cc", "ptxas too old", "ptxas fatal"),
     r"ptxas does not support cc ?(?P<has>[\d.]+)|ptxas too old|ptxas fatal\s*:? *value"),
    ("no_ptxas", ("no ptx compilation provider", "couldn't invoke ptxas", "couldn't get ptxas version",
                  "couldn't find a suitable version of ptxas", "couldn't find ptxas", "could not find ptxas",
                  "couldn't invoke ptxas.exe", "ptxas not found"), ""),
    # the installation
    ("pip", ("no matching distribution found for", "could not find a version that satisfies the requirement"),
     r"(?:distribution found for|satisfies the requirement) (?P<package>tensorflow[\w-]*(?:\[[\w-]+\])?[=<>~!]*[\d.]*)"),
    ("pip_platform", ("is not a supported wheel on this platform",), r"tensorflow"),
    ("no_tensorflow", ("no module named",), r"no module named '?\"?tensorflow['\"]?\s*$"),
    ("native_runtime", ("failed to load the native tensorflow runtime", "dll load failed"), ""),
    ("no_avx", ("illegal instruction", "compiled to use avx", "sigill"),
     r"illegal instruction|sigill|compiled to use avx\S* instructions, but these aren't available"),
    ("without_cuda", ("built_with_cuda", "built with cuda", "cuda_build", "not compiled with cuda"),
     r"built[_ ]with[_ ]cuda\W*(?:\(\))?\W*(?:support\W*)?(?:false|no\b)|is_cuda_build\W*false|not (?:compiled|built) with cuda(?! kernel)"),
    ("cpu_package", ("tensorflow-cpu", "tensorflow_cpu", "tensorflow-intel", "tensorflow_intel"), ""),
    ("several", ("tensorflow-gpu ", "tensorflow-cpu "), r"tensorflow(?:-cpu)? +\d[\d.]+.*\btensorflow-(?:gpu|cpu) +\d"),
    # where it ran
    ("windows", ("c:\\", "d:\\", ".dll", "win_amd64", "microsoft windows", "windows 10", "windows 11", "ps c:"),
     r"[a-z]:\\|\w\.dll\b|win_amd64|microsoft windows|windows 1[01]|win32"),
    ("wsl", ("wsl", "/mnt/c/", "microsoft-standard"), r"\bwsl ?2?\b|/usr/lib/wsl|/mnt/c/|microsoft-standard"),
    ("macos", ("macosx", "metal", "darwin", "macos", "apple m"), r"macosx|metal_plugin|darwin|macos|apple m\d|name: metal"),
    ("container", ("docker", "kubernetes", "kubectl", "apptainer", "singularity", "podman", "cuda/compat", "lxc"),
     r"\bdocker|kubernetes|kubectl|apptainer|singularity|podman|cuda/compat|\blxc\b"),
    ("slurm", ("slurm", "srun", "sbatch"), r"slurm|\bsrun\b|\bsbatch\b"),
    ("conda", ("conda", "miniforge", "mambaforge"), ""),
    ("jetson", ("jetson", "tegra", "jetpack"), ""),
    ("suspend", ("suspend", "resume from", "hibernat"), r"suspend|resum|hibernat"),
    ("other_task", ("/job:worker", "job ps", "grpcserver"), r"job (?:ps|worker) ->|/job:(?:ps|worker)/"),
    ("plugin", ("pluggabledevice", "directml", "name: dml", "name: metal", "rocm", "miopen", "hip"),
     r"pluggabledevice|directml|name: dml|name: metal|\brocm|miopen|libamdhip|failed call to hipinit"),
    ("rocm", ("hipinit", "rocm", "miopen"), r"failed call to hipinit|could not find rocm|librocm|libamdhip64|miopen"),
    # lines that look alarming and are not
    ("harmless:factory", ("unable to register",), r"unable to register (?P<what>cu\w+) factory"),
    ("harmless:placer", ("computation placer already registered",), ""),
    ("harmless:numa", ("numa node",), r"negative value|could not open file to read numa|could not identify numa|numa support"),
    ("harmless:numa_kernel", ("may have been built without numa support",), ""),
    ("harmless:tensorrt", ("could not find tensorrt", "libnvinfer", "cannot dlopen some tensorrt"), ""),
    ("harmless:cpu_features", ("cpu_feature_guard", "to enable the following instructions", "to enable them in other operations"), ""),
    ("harmless:onednn", ("onednn custom operations are on",), ""),
    ("harmless:collective", ("collective ops is not configured",), ""),
    ("harmless:aborting", ("executor start aborting",), ""),
    ("harmless:absl", ("before absl::initializelog()",), ""),
    ("harmless:mlir", ("mlir v1 optimization pass is not enabled", "mlir optimization passes are enabled"), ""),
    ("harmless:xla_devices", ("not creating xla devices",), ""),
    ("harmless:xla_service", ("xla service 0x", "streamexecutor device ("), ""),
    ("harmless:bogomips", ("failed to find bogomips",), ""),
    ("harmless:cudnn_version", ("failed to determine cudnn version",), ""),
    ("harmless:logging", ("is deprecated and will be removed", "deprecation.py"), ""),
    ("harmless:tcmalloc", ("exceeds 10% of free system memory", "exceeds 10% of system memory"), ""),
)  # fmt: skip
