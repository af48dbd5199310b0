"""What scripts/gpu-proof does: real training jobs under a real daemon, with sharing and without, and the resulting figures."""
