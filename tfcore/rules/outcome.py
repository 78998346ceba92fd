"""The last rules: nothing is wrong, the log ends too early, or it cannot tell."""

from __future__ import annotations

from tfcore.devices import SIMULATED_MANY, SIMULATED_NAME, SIMULATED_ONE, Unavailable
from tfcore.rules import steps
from tfcore.rules.base import Case, Lines, Rule, Step, unless

GUIDE = "https://www.tensorflow.org/guide/gpu"
FACTORIES = "https://github.com/tensorflow/tensorflow/issues/62075"


def _stopped(case: Case) -> Lines:
    """The GPU was found and about to be used, and then came an exception."""
    if case.sees_gpu or not case.signs.get("adding_visible") or case.signs.get("status_told"):
        return ()
    return case.lines("adding_visible")


def _ends_early(case: Case) -> Lines:
    if case.sees_gpu or case.signs.get("adding_visible"):
        return ()
    return case.lines("found_device")


def _ends_early_cause(case: Case) -> str:
    opened = [seen.groups.get("lib", "") for seen in case.signs.get("opened")]
    eleven = any("11" in name for name in opened)
    cudnn = "libcudnn.so.8" if eleven else "cuDNN"
    return ("The driver works and the GPU was found; the log ends before TensorFlow has opened the CUDA libraries. If no GPU "
            f"device is made after that, one of them is missing, most often cuDNN ({cudnn}), which comes last. Lines about "
            "NUMA nodes are harmless.")  # fmt: skip


def _works(case: Case) -> Lines:
    answer = case.evidence.tensorflow
    if not isinstance(answer, Unavailable):
        return tuple(f"TensorFlow lists {gpu.name}: {gpu.model}" for gpu in answer.gpus)
    return case.lines("created", "ran_on_gpu", "listed_gpu")


def _works_cause(case: Case) -> str:
    answer = case.evidence.tensorflow
    if isinstance(answer, Unavailable):
        return "Nothing is wrong: this log shows a GPU that TensorFlow uses."
    count = len(answer.gpus)
    simulated = any(gpu.model == SIMULATED_NAME for gpu in answer.gpus)
    tail = (SIMULATED_ONE if count == 1 else SIMULATED_MANY) if simulated else ""
    return f"Nothing is wrong: TensorFlow sees {'1 GPU' if count == 1 else f'{count} GPUs'}.{tail}"


def _only_harmless(case: Case) -> Lines:
    return tuple(seen.text for seen in case.signs.harmless) if case.evidence.from_log else ()


def _no_gpu_told(case: Case) -> Lines:
    return case.lines("no_gpu_told", "strict_without_gpu")


RULES = (
    Rule("stopped_at_device", _stopped,
         "The GPU was found, and then TensorFlow failed before it had made a device of it. The line that says why is not in "
         "the log. Most often it is “CUDA driver version is insufficient for CUDA runtime version”: the driver is older than "
         "the CUDA toolkit, which conda likes to choose too new.",
         lambda case: (*steps.update_driver(case), Step("If the last line of the error says something else, paste it here.")),
         "https://docs.nvidia.com/deploy/cuda-compatibility/", certainty="likely", usable=None),
    Rule("log_ends_early", _ends_early, _ends_early_cause,
         lambda case: (Step("Look at the lines that follow, and paste them too."),
                       Step("Install the cuDNN of the version that this TensorFlow was built for, if it is named there."),
                       *steps.cuda_libraries(case)), "https://www.tensorflow.org/install/source#gpu",
         certainty="possible", usable=None),
    Rule("nothing_wrong", _works, _works_cause, steps.nothing, GUIDE, usable=True),
    Rule("only_harmless", unless(_only_harmless, _no_gpu_told),
         "Cannot tell. The log holds only lines that are harmless, however alarming they look: they are not the reason for a "
         "missing GPU, and can be ignored. What counts are later lines, such as “Created device” or “Cannot dlopen”.",
         lambda case: (Step("Ignore these lines. Paste what comes after them."), *steps.show_more(case)), FACTORIES,
         certainty="certain", usable=None),
    Rule("gpu_unused", _no_gpu_told,
         "Cannot tell. TensorFlow has no GPU here, and nothing in the evidence says why.",
         steps.show_more, GUIDE, certainty="certain", usable=None),
)  # fmt: skip
CANNOT_TELL = Rule(
    "cannot_tell", lambda _: (),
    lambda case: "Cannot tell: " + (
        "this holds no line of TensorFlow about GPUs." if case.evidence.from_log
        else "TensorFlow sees no GPU, and nothing that was found says why."
    ),
    steps.show_more, GUIDE, usable=None,
)  # fmt: skip
