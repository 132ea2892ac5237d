# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bar chart as SVG: how many times faster than the reference peer, on a logarithmic axis."""

import math
from html import escape

from reporting.tables import PEER_TITLES

SERIES = {"automatic": "#1b6ca8", "mkl": "#e09f3e", "cusparse": "#6a994e", "kokkos_kernels": "#b23a48"}
LEFT, WIDTH, BAR, GAP, TOP = 170, 560, 9, 12, 50


def text(x, y, content, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def rectangle(x, y, width, height, fill):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'


class LogAxis:
    """Whole powers of ten around the values, and at least 0.1 to 10."""

    def __init__(self, values):
        self.low = math.floor(math.log10(min([*values, 0.1])))
        self.high = math.ceil(math.log10(max([*values, 10.0])))

    def x(self, value):
        return LEFT + WIDTH * (math.log10(value) - self.low) / (self.high - self.low)

    def lines(self, bottom):
        for power in range(self.low, self.high + 1):
            x, stroke = self.x(10.0**power), "#555" if power == 0 else "#ddd"
            yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="{stroke}"/>'
            yield text(x, bottom + 15, f"{10.0**power:g}", "middle")


def legend(methods):
    x = LEFT
    for method in methods:
        title = PEER_TITLES.get(method, "Terrace")
        yield rectangle(x, 28, 10, 10, SERIES[method])
        yield text(x + 15, 37, title)
        x += 40 + 7 * len(title)


def group(axis, y, matrix, ratios):
    """One matrix: its name, and a bar from 1 to the ratio for each method."""
    yield text(LEFT - 8, y + BAR * len(ratios) / 2 + 4, matrix, "end")
    for index, (method, ratio) in enumerate(ratios.items()):
        if ratio:
            ends = sorted([axis.x(1.0), axis.x(ratio)])
            yield rectangle(ends[0], y + BAR * index, max(1.0, ends[1] - ends[0]), BAR - 1, SERIES[method])


def reference_of(run):
    return "cusparse" if run.space == "Cuda" else "serial_loop"


def speed_chart(run):
    reference = reference_of(run)
    methods = [name for name in SERIES if run.has_method(name) and name != reference]
    ratios = {m: {name: run.ratio(m, name, reference) for name in methods} for m in run.records}
    axis = LogAxis([value for row in ratios.values() for value in row.values() if value])
    step = BAR * len(methods) + GAP
    bottom = TOP + step * len(ratios)
    parts = [rectangle(0, 0, LEFT + WIDTH + 30, bottom + 30, "#fff"), *axis.lines(bottom), *legend(methods)]
    parts.append(text(LEFT, 18, f"{run.title}: times faster than {PEER_TITLES[reference]}"))
    for index, (matrix, row) in enumerate(ratios.items()):
        parts += group(axis, TOP + GAP / 2 + step * index, matrix, row)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" height="{bottom + 30}" '
        'font-family="sans-serif" font-size="12">\n' + "\n".join(parts) + "\n</svg>\n"
    )
