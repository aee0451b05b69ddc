"""Train the tiny vision-language model of the demo on drawn pages, or examine a trained one."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from tools.tiny_vlm.exam import client_reader, engine_reader, examine
from tools.tiny_vlm.training import Plan, train
from tools.tiny_vlm.world import FONT


def main() -> None:
    """Read the arguments; train, or examine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="folder of the checkpoint")
    parser.add_argument("--minutes", type=float, default=80.0)
    parser.add_argument("--rate", type=float, default=2e-3, help="the learning rate at its highest")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--font", type=Path, default=FONT, help="the font pages are drawn in")
    parser.add_argument("--resume", action="store_true", help="go on from where a training into this folder stopped")
    parser.add_argument("--evaluate", type=Path, metavar="FOLDER", help="examine the checkpoint in FOLDER instead")
    parser.add_argument("--pages", type=int, default=100, help="fresh pages of the exam")
    parser.add_argument("--upstream", action="store_true", help="examine through MinerUClient in place of our engine")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if given.evaluate is not None:
        exam = given.pages, f"exam {given.seed}", given.font
        if given.upstream:
            marks = examine(client_reader(given.evaluate), *exam)
        else:
            with engine_reader(given.evaluate) as reader:
                marks = examine(reader, *exam)
        print(*marks.wrong, marks, sep="\n")
        return
    if given.out is None:
        parser.error("--out or --evaluate is needed")
    train(given.out, Plan(given.minutes, given.seed, given.rate), given.font, given.resume)


if __name__ == "__main__":
    main()
