"""The HTTP API: documents in, results or tasks out, and the routes a server answers beside the browser app.

errors ──► guards, access, limits, pace ──► backend ──► documents, tasks, events, exports ──► app ──► server
one shape  who may call, how often,         the one     the routes under /api                 FastAPI  everything a
           how much, how slowly             JobService                                                 server mounts
"""
