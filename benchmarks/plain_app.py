"""What most people write: TensorFlow inside the Streamlit process, configured once for all visitors."""

import os

import streamlit as st
import tensorflow as tf

cpus = int(os.environ.get("PLAIN_CPUS", "1"))
if "CONFIGURED" not in os.environ:
    os.environ["CONFIGURED"] = "yes"
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * cpus)

st.title("Devices")
st.write(f"Logical devices: {len(tf.config.list_logical_devices())}")
