"""The far side of the process boundary: the host, which has imported TensorFlow, and its workers."""
