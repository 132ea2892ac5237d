# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the solver is held to, and whether a run reaches it."""

from reporting.records import geometric_mean
from reporting.tables import number, table

WIDE = 1000  # rows per level on average


class Bar:
    def __init__(self, text, measured, met, where=""):
        self.text, self.measured, self.met, self.where = text, measured, met, where


def worst(values):
    """The largest value and its matrix."""
    known = {matrix: value for matrix, value in values.items() if value is not None}
    return max(((value, matrix) for matrix, value in known.items()), default=(None, ""))


def at_most(text, limit, values):
    value, where = worst(values)
    return Bar(text, value, None if value is None else value <= limit, where)


def at_least_on_average(text, limit, values):
    mean = geometric_mean(values.values())
    lowest, where = worst({matrix: -value for matrix, value in values.items() if value is not None})
    note = f"lowest {number(-lowest)} on {where}" if lowest is not None else ""
    return Bar(text, mean, None if mean is None else mean >= limit, note)


def slowdown(run):
    """The automatic choice's time over the loop's."""
    ratios = {matrix: run.ratio(matrix, "automatic", "serial_loop") for matrix in run.records}
    return {matrix: 1 / ratio for matrix, ratio in ratios.items() if ratio}


def analysis_in_solves(run):
    values = {}
    for matrix in run.records:
        analysis, solve = run.seconds(matrix, "automatic", "analysis"), run.seconds(matrix, "automatic")
        values[matrix] = analysis / solve if analysis and solve else None
    return values


def held(run, methods):
    ratios = {}
    for matrix in run.records:
        for method in methods:
            ratios[f"{matrix}, {method}"] = run.value(matrix, method, "analysis", "held_ratio")
    return ratios


def over_matrices(run, peer, phase="solve"):
    return {matrix: run.ratio(matrix, "automatic", peer, phase) for matrix in run.records}


def at_least(text, limit, values):
    lowest, where = worst({matrix: -value for matrix, value in values.items() if value is not None})
    return Bar(text, lowest and -lowest, None if lowest is None else -lowest >= limit, where)


def once_bars(run):
    analysis = {matrix: run.once_ratio(matrix, ["analysis"]) for matrix in run.records}
    both = {matrix: run.once_ratio(matrix, ["analysis", "solve"]) for matrix in run.records}
    return [
        at_least_on_average("for one solve: analysis at least 40 x faster than cuSPARSE's", 40.0, analysis),
        at_least_on_average("for one solve: analysis and solve at least 4 x faster than cuSPARSE's", 4.0, both),
        at_most("for one solve: memory at most 0.2 x the input", 0.2, held(run, ["once"])),
    ]


SOLVES_ON_H200 = {"dense": 200, "chain": 24_000, "grid7-120": 280, "grid5-1024": 900, "road": 600, "kkt": 160}


def cuda_bars(run):
    if run.right_hand_sides > 1:
        text = f"{run.right_hand_sides} right-hand sides: geometric mean at least 2 x faster than cuSPARSE"
        return [at_least_on_average(text, 2.0, over_matrices(run, "cusparse"))]
    solves, kernels = over_matrices(run, "cusparse"), over_matrices(run, "kokkos_kernels")
    bars = [
        at_least_on_average("solve: geometric mean at least 4 x faster than cuSPARSE", 4.0, solves),
        at_least("solve: at least 1.3 x faster than cuSPARSE on each", 1.3, solves),
        at_least_on_average("solve: geometric mean at least 12 x faster than Kokkos Kernels", 12.0, kernels),
        at_least_on_average(
            "analysis: geometric mean at least 5 x faster than cuSPARSE's",
            5.0,
            over_matrices(run, "cusparse", "analysis"),
        ),
    ]
    if run.has_method("once"):
        bars += once_bars(run)
    if run.title != "Cuda":
        return bars  # the times are those of lower triangles in double
    for matrix, limit in SOLVES_ON_H200.items():
        if seconds := run.seconds(matrix, "automatic"):
            bars.append(Bar(f"solve: {matrix} at most {limit:,} us", seconds * 1e6, seconds * 1e6 <= limit))
    return bars


def speed_bars(run):
    if run.space == "Serial":
        return [at_most("solve: at most 1.05 x the time of the serial loop, everywhere", 1.05, slowdown(run))]
    if run.space == "Cuda":
        return cuda_bars(run)
    wide = [matrix for matrix in run.records if run.of_matrix(matrix, "rows_per_level") > WIDE]
    against_loop = {matrix: run.ratio(matrix, "automatic", "serial_loop") for matrix in wide}
    against_kernels = {matrix: run.ratio(matrix, "automatic", "kokkos_kernels") for matrix in run.records}
    return [
        at_least_on_average(
            f"solve: geometric mean at least 1.4 x faster than the loop where levels have more than {WIDE:,} rows",
            1.4,
            against_loop,
        ),
        at_most("solve: never more than 1.1 x slower than the loop", 1.1, slowdown(run)),
        at_least_on_average(
            "solve: geometric mean at least 5 x faster than Kokkos Kernels", 5.0, against_kernels
        ),
    ]


def bars_of(run):
    bars = speed_bars(run)
    if run.space != "Cuda":
        bars.append(at_most("analysis: at most the time of 10 solves", 10.0, analysis_in_solves(run)))
    if run.right_hand_sides > 1:
        return bars  # the vectors of the walk are not part of the matrix's copy
    ordered = ["automatic", "level_scheduled", "sync_free_rows"]
    columns = ["sync_free_columns"]
    bars.append(at_most("memory: copy and schedule at most 2.2 x the triangle", 2.2, held(run, ordered)))
    bars.append(at_most("memory: columns with in-degrees at most 0.2 x the input", 0.2, held(run, columns)))
    return bars


def bar_table(run):
    verdicts = {True: "met", False: "**missed**", None: "not measured"}
    rows = [[bar.text, number(bar.measured), bar.where, verdicts[bar.met]] for bar in bars_of(run)]
    return table(["bar", "measured", "where", "verdict"], rows)
