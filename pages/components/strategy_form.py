"""What to train, on how many replicas, and the button."""

from __future__ import annotations

import streamlit as st

from pages.components.jobs import show_error
from tfcore.devices import Inventory
from tfcore.errors import SettingsError
from tfcore.session import Session
from tfcore.strategy import MODELS, REDUCTIONS, BatchOf, StrategyPlan, check
from tfcore.training import training

JOB = "train"
LIMIT_S = 4 * 3600.0
MOST_OFFERED = 4
_ASKED = "train_asked"
WHERE = {"mirrored": "Devices of one process", "workers": "Several processes"}
BATCH_OF: dict[BatchOf, str] = {"all": "Total over all replicas", "each": "For each replica"}
LOOPS = {"custom": "Custom loop", "fit": "Keras fit"}
NO_PLAN = "The choice above cannot be trained."


def draw(session: Session, inventory: Inventory) -> None:
    """Draw the fields and the button; start the job once it was pressed."""
    model = st.selectbox("Model", list(MODELS), key="train_model", format_func=lambda name: MODELS[name].title)
    st.caption(MODELS[model].sentence)
    where = st.segmented_control(
        "Replicas are", list(WHERE), key="train_where", format_func=WHERE.__getitem__, default="mirrored",
        required=True,
        help="Several processes find each other over the network, as on several machines: "
        "MultiWorkerMirroredStrategy. Here they all run on this computer.",
    )  # fmt: skip
    several = where == "workers"
    replicas = [1] if several else _replicas(inventory)
    workers = st.selectbox("Processes", [2, 3, 4], key="train_workers") if several else 1
    with st.container(horizontal=True):
        each = st.selectbox(
            "Batch is", list(BATCH_OF), key="train_batch_of", format_func=BATCH_OF.__getitem__,
            help="In total: every run sees the same batches, so losses can be compared. For each replica: the batch "
            "grows with the replicas, as people do to keep GPUs busy.",
        )  # fmt: skip
        batch = st.number_input("Batch", value=MODELS[model].batch, step=1, key=f"train_batch_{model}")
        epochs = st.number_input("Epochs", value=MODELS[model].epochs, step=1, key=f"train_epochs_{model}",
                                 help="How often to go through all examples.")  # fmt: skip
    with st.container(horizontal=True):
        reduction = st.selectbox(
            "Reduction", list(REDUCTIONS), key="train_reduction", format_func=REDUCTIONS.__getitem__, disabled=several,
            help="How the replicas’ gradients are summed. NCCL works between GPUs only.",
        )  # fmt: skip
        loop = st.selectbox("Loop", list(LOOPS), key="train_loop", format_func=LOOPS.__getitem__, disabled=several)
    plan = StrategyPlan(
        model, tuple(sorted(replicas)), int(batch), int(epochs), "default" if several else reduction,
        "custom" if several or loop == "custom" else "fit", "auto", workers, each,
    )  # fmt: skip
    _start_or_offer(session, inventory, plan)


def _replicas(inventory: Inventory) -> list[int]:
    """Let numbers of replicas be chosen: as many as there are GPUs, or as logical CPU devices can be made."""
    gpus = len(inventory.of_type("GPU"))
    options = list(range(1, (gpus or MOST_OFFERED) + 1))
    kind = "gpu" if gpus else "cpu"
    chosen = st.pills(
        "Numbers of replicas", options, key=f"train_replicas_{kind}", selection_mode="multi", default=options[:2]
    )
    if not gpus:
        st.caption(
            "No GPU is in force, so logical CPU devices are trained on, and made for it as needed. "
            "They share one processor: no speedup is to be expected. The rest is as on GPUs."
        )
    return list(chosen)


def _start_or_offer(session: Session, inventory: Inventory, plan: StrategyPlan) -> None:
    reason = _why_not(session, inventory, plan)
    if st.session_state.pop(_ASKED, False) and not reason:
        session.start(JOB, training(session.settings, inventory, plan), limit_s=LIMIT_S)
        reason = "It is running."
    st.button(
        "Train", key="train_run", type="primary", icon=":material/play_arrow:", disabled=bool(reason),
        help=reason or None, on_click=_ask,
    )  # fmt: skip
    if reason and reason != NO_PLAN:
        st.caption(reason)


def _why_not(session: Session, inventory: Inventory, plan: StrategyPlan) -> str:
    if JOB in session.running():
        return "It is running."
    if not plan.replicas:
        return "Choose at least one number of replicas."
    try:
        check(plan, inventory)
    except SettingsError as error:
        show_error(error)
        return NO_PLAN
    return ""


def _ask() -> None:
    st.session_state[_ASKED] = True
