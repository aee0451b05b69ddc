"""Figures over the seconds of a run, as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from mineru_core.ui.i18n import Translator

_COLOURS = {"light": ("#0b6e63", "#b04a00", "#7a3fa0"), "dark": ("#4fc0ad", "#f0985a", "#c69be8")}
_DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2])
"""Lines are told apart without their colours, too."""


def show_course(
    at_s: Sequence[float], series: Mapping[str, Sequence[float | None]], t: Translator, *, height: int, title: str
) -> None:
    """Up to three lines by their names; nothing of fewer than two moments. What lies under the pointer is told."""
    drawn = {name: values for name, values in series.items() if any(value is not None for value in values)}
    if len(at_s) < 2 or not drawn:
        return
    st.vega_lite_chart(spec=spec_of(at_s, drawn, t, height=height, title=title), width="stretch")


def spec_of(
    at_s: Sequence[float], series: Mapping[str, Sequence[float | None]], t: Translator, *, height: int, title: str
) -> dict[str, Any]:
    """The chart in Vega-Lite's words."""
    rows = [
        {"s": at, "what": name, "value": value}
        for name, values in series.items()
        for at, value in zip(at_s, values, strict=True)
        if value is not None
    ]
    names, count = list(series), len(series)
    seconds = {"field": "s", "type": "quantitative", "title": t("load.seconds"), "axis": {"tickMinStep": 1}}
    value = {"field": "value", "type": "quantitative", "title": None, "axis": {"tickCount": 3, "format": ".3~r"}}
    what = {"field": "what", "type": "nominal", "legend": {"orient": "top", "title": None, "symbolType": "stroke"}}
    colours = _COLOURS["dark" if st.context.theme.type == "dark" else "light"]
    colour = {**what, "scale": {"domain": names, "range": list(colours[:count])}}
    dash = {**what, "scale": {"domain": names, "range": list(_DASHES[:count])}}
    near = {"name": "near", "select": {"type": "point", "on": "pointerover", "nearest": True, "clear": "pointerout"}}
    seen = {"condition": {"param": "near", "empty": False, "value": 1}, "value": 0}
    tooltip = [{"field": "what", "title": " "}, {**seconds, "format": ".0f"}, {**value, "title": " ", "format": ".3~g"}]
    return {
        "description": title,
        "height": height,
        "data": {"values": rows},
        "encoding": {"x": seconds, "y": value, "color": colour},
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {"strokeDash": dash}},
            {
                # A group of points has no name a screen reader could say: the lines are told as tables and tiles.
                "mark": {"type": "point", "filled": True, "size": 70, "aria": False},
                "params": [near],
                "encoding": {"opacity": seen, "tooltip": tooltip},
            },
        ],
    }
