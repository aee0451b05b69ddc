"""Run contexts, batching, pools and metrics."""
