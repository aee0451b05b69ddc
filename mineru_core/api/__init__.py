"""The HTTP API: documents in, results or tasks out, and the routes a server answers beside the browser app.

errors ──► middleware ──► backend ──► documents, tasks ──► app ──► server
one shape  ids, access,   the one     the routes under     FastAPI  everything a
           byte limit     JobService  /api                          server mounts
"""
