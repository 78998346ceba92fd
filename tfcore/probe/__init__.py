"""What can be found out about this machine without TensorFlow, in a process of its own and within a time limit."""
