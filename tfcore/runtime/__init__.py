"""The server's side of the process boundary. It never imports TensorFlow."""
