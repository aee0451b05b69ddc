"""The load test in Locust's own UI, on one machine or many: ``locust -H http://127.0.0.1:8501``.

Each user asks, waits for the answer, thinks for as long as ``WORKBENCH_THINK_S`` says on average (10 s), and asks
again. ``WORKBENCH_TOKEN`` is sent as bearer token, ``WORKBENCH_DOCUMENTS`` names a folder of files to hand in, in the
place of drawn ones. Distributed: ``locust --master``, and ``locust --worker --master-host ADDRESS`` wherever there is a
processor to spare. The rows called DOCUMENT are whole questions, from when they were due.
"""

import os
import random
from pathlib import Path

import gevent

from mineru_core.loadtest.scenario import ClosedLoop, Documents, Scenario
from mineru_core.loadtest.supply import Supply
from mineru_core.loadtest.users import Desk
from mineru_core.loadtest.users import Visitor as VisitorOfDesk

DAY_S = 86_400.0

folder = os.environ.get("WORKBENCH_DOCUMENTS")
token = os.environ.get("WORKBENCH_TOKEN")
scenario = Scenario(
    name="locust",
    arrivals=ClosedLoop(users=1, think_s=float(os.environ.get("WORKBENCH_THINK_S", "10"))),
    seconds=7 * DAY_S,  # how long it lasts, and how many come, is set in Locust
    documents=Documents(folder=Path(folder) if folder else None),
)
rng = random.Random()
supply = Supply(scenario.documents, rng)
supply.prepare(20)
gevent.get_hub().loop.update_now()  # it stood still while they were drawn, and times would run too fast


class Visitor(VisitorOfDesk):
    """Somebody at the HTTP API."""

    desk = Desk(
        "locust",
        scenario,
        supply,
        rng,
        headers={"Authorization": f"Bearer {token}"} if token else {},
        looks_for_words=False,
    )
