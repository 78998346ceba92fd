"""What workers run. Each module has a `run(plan, report)`; only here and in tfcore/worker is TensorFlow imported."""
