# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of the README: a triangular matrix and its level sets."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from reporting.charts import STYLE, save  # noqa: E402

SIDE = 4  # of a five-point grid in natural order


def entries_of_grid():
    """The lower triangle of the five-point grid: for each row the columns that it needs."""
    needed = []
    for row in range(SIDE * SIDE):
        west = [row - 1] if row % SIDE else []
        south = [row - SIDE] if row >= SIDE else []
        needed.append(south + west)
    return needed


def levels_of(needed):
    levels = []
    for columns in needed:
        levels.append(1 + max((levels[column] for column in columns), default=-1))
    return levels


def draw_matrix(axes, needed, levels, colors):
    for row, columns in enumerate(needed):
        for column in [*columns, row]:
            axes.add_patch(plt.Rectangle((column + 0.08, row + 0.08), 0.84, 0.84, color=colors[levels[row]]))
    axes.set(xlim=(0, len(needed)), ylim=(len(needed), 0), aspect="equal", xticks=[], yticks=[])
    axes.set_title("A sparse triangle: row after row", fontsize=10)


def draw_level_sets(axes, needed, levels, colors):
    places, width = {}, [0] * (max(levels) + 1)
    for row, level in enumerate(levels):
        places[row] = (width[level] - (levels.count(level) - 1) / 2, -level)
        width[level] += 1
    for row, columns in enumerate(needed):
        for column in columns:
            (x0, y0), (x1, y1) = places[column], places[row]
            axes.annotate("", (x1, y1 + 0.3), (x0, y0 - 0.3), arrowprops={"arrowstyle": "->", "color": "#888"})
    for row, (x, y) in places.items():
        axes.scatter(x, y, s=330, color=colors[levels[row]], zorder=2)
        axes.text(x, y, str(row), ha="center", va="center", color="white", fontsize=8)
    axes.set(xlim=(-2.4, 2.4), ylim=(-max(levels) - 0.5, 0.5), xticks=[], yticks=[])
    axes.set_title("Its levels: rows of one color are solved at the same time", fontsize=10)


def draw_levels(target):
    needed = entries_of_grid()
    levels = levels_of(needed)
    palette = plt.get_cmap("viridis")
    colors = [palette(0.85 * level / max(levels)) for level in range(max(levels) + 1)]
    with plt.rc_context({**STYLE, "axes.spines.bottom": False}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(8.8, 4.0), width_ratios=[1.0, 1.15])
        draw_matrix(left, needed, levels, colors)
        draw_level_sets(right, needed, levels, colors)
        save(figure, target)
