"""A client of the HTTP API that answers as the library does: the same results, the same errors.

    from mineru_core.client import Client

    with Client("http://server:8501", token="mwb_…") as client:
        result = client.analyze("scan.png", "extract the tables")

steps ──► flows ──► client
what a     what a    the two that carry the steps out:
flow asks  call does ``Client`` and, for asyncio, ``AsyncClient``
"""

from mineru_core.client.client import AsyncClient, Client
from mineru_core.client.tasks import TaskHandle, TaskStatus

__all__ = ["AsyncClient", "Client", "TaskHandle", "TaskStatus"]
