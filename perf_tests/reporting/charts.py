# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts of ratios by matplotlib: a row for each matrix, a dot for each peer, on a logarithmic axis."""

import csv

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLORS = ["#1b6ca8", "#b23a48", "#6a994e"]
STYLE = {
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "svg.hashsalt": "terrace",  # the same numbers give the same file
    "svg.fonttype": "none",
}


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def save(figure, path):
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    plt.close(figure)


def mark_ratios(axes):
    """A logarithmic axis in plain numbers, with the line where both are equally fast."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    ticks = [tick for tick in (0.5, 1, 2, 5, 10, 20, 50, 100, 200) if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:g}x" for tick in ticks])
    axes.minorticks_off()
    axes.axvline(1.0, color="#555", linewidth=1)
    axes.grid(axis="x", color="#e4e4e4")
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)


def draw_ratios(source, target, title, peers):
    """The times of each peer over those of the automatic choice; matrices by their ratio to the first peer."""
    rows = [row for row in read_rows(source) if row["automatic"]]
    first = next(iter(peers))
    rows.sort(key=lambda row: float(row[first]) / float(row["automatic"]))
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7.5, 0.7 + 0.19 * len(rows)))
        places = range(len(rows))
        ratios = {peer: [float(row[peer]) / float(row["automatic"]) for row in rows] for peer in peers}
        for place in places:
            ends = [values[place] for values in ratios.values()]
            axes.plot([min(1.0, *ends), max(1.0, *ends)], [place, place], color="#d0d0d0", linewidth=1, zorder=1)
        for (peer, label), color in zip(peers.items(), COLORS):
            axes.scatter(ratios[peer], places, s=26, color=color, label=label, zorder=2)
        axes.set_yticks(list(places), [row["matrix"] for row in rows])
        axes.set_ylim(-0.8, len(rows) - 0.2)
        mark_ratios(axes)
        axes.set_title(title, loc="left", fontsize=10)
        axes.legend(loc="lower right", frameon=True, framealpha=1.0, edgecolor="#d0d0d0")
        save(figure, target)


def draw_iterations(source, target):
    """Bars: how many times faster an iteration is than the same loop written with cuSPARSE and cuBLAS."""
    rows = read_rows(source)[::-1]
    kinds = list(dict.fromkeys(row["iteration"] for row in rows[::-1]))
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(7.5, 0.7 + 0.24 * len(rows)))
        for place, row in enumerate(rows):
            ratio = float(row["faster"])
            axes.barh(place, ratio - 1.0, left=1.0, height=0.72, color=COLORS[kinds.index(row["iteration"])])
            axes.text(ratio * 1.03, place, f"{row['faster']}x", va="center")
        axes.set_yticks(range(len(rows)), [f"{row['iteration']}, {row['grid']}" for row in rows])
        axes.set_xlim(0.95, 60)
        mark_ratios(axes)
        axes.set_title(
            "One iteration on one NVIDIA H200, double: times faster than the loop with cuSPARSE and cuBLAS",
            loc="left",
            fontsize=10,
        )
        save(figure, target)
