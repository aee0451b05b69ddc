"""Measurements: accuracy, speed and memory, each run as a module."""
