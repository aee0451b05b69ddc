"""The built-in load test: what this machine can carry, measured through the HTTP API.

``scenario`` and ``presets`` say what is asked for, ``runner`` runs it, ``figures`` tells what came of it, ``history``
keeps and compares runs. Locust, and gevent with it, lives in a process of its own (``generator``, ``users``): no other
module imports it, since it changes the standard library of the process it is in.
"""
