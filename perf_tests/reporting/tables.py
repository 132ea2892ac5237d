# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Markdown tables of a run."""

from reporting.records import geometric_mean

PEER_TITLES = {
    "serial_loop": "serial loop",
    "kokkos_kernels": "Kokkos Kernels",
    "mkl": "MKL",
    "cusparse": "cuSPARSE",
}
STATISTICS = {"median": "medians of the repetitions", "min": "fastest of the repetitions"}
ALGORITHMS = ["automatic", "sequential", "level_scheduled", "sync_free_rows", "sync_free_columns"]


def table(header, rows):
    """The first column to the left, the others to the right."""
    rule = [":--"] + ["--:"] * (len(header) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *rows])


def number(value, digits=3):
    """Three significant digits, without an exponent; nothing for None."""
    if value is None:
        return ""
    if value >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{value:.6f}".rstrip("0").rstrip(".") if "e" in text else text


def milliseconds(seconds):
    return number(seconds * 1e3) if seconds is not None else ""


def count(value):
    return f"{value:,.0f}" if value is not None else ""


def peers_of(run):
    return [peer for peer in PEER_TITLES if run.has_method(peer)]


def summary(run):
    """The automatic choice against the peers, a matrix in a row."""
    peers = peers_of(run)
    header = ["matrix", "n", "nnz", "levels", "chosen", "analysis ms", "solve ms", "GB/s"]
    header += [f"x {PEER_TITLES[peer]}" for peer in peers]
    on_cuda = run.space == "Cuda"
    if on_cuda:
        header += ["analysis x cuSPARSE", "times the limit"]
    rows = []
    for matrix in run.records:
        label = (run.value(matrix, "automatic", "solve", "label") or "").split(":")[0]
        row = [matrix, *(count(run.of_matrix(matrix, counter)) for counter in ("n", "nnz", "levels"))]
        row += [label, milliseconds(run.seconds(matrix, "automatic", "analysis"))]
        row += [milliseconds(run.seconds(matrix, "automatic"))]
        row += [number(run.value(matrix, "automatic", "solve", "GB_per_s"))]
        row += [number(run.ratio(matrix, "automatic", peer)) for peer in peers]
        if on_cuda:
            row += [number(run.ratio(matrix, "automatic", "cusparse", "analysis")), number(run.times_limit(matrix))]
        rows.append(row)
    means = [geometric_mean(run.ratio(matrix, "automatic", peer) for matrix in run.records) for peer in peers]
    if on_cuda:
        means += [geometric_mean(run.ratio(matrix, "automatic", "cusparse", "analysis") for matrix in run.records)]
        means += [geometric_mean(run.times_limit(matrix) for matrix in run.records)]
    rows.append(["**geometric mean**", *[""] * 7, *map(number, means)])
    return table(header, rows)


def solving_methods(run):
    return [name for name in [*ALGORITHMS, *PEER_TITLES] if run.has_method(name)]


def every_method(run):
    """The solve times of all methods."""
    methods = solving_methods(run)
    header = ["solve ms"] + [PEER_TITLES.get(name, name.replace("_", " ")) for name in methods]
    rows = [[matrix, *(milliseconds(run.seconds(matrix, name)) for name in methods)] for matrix in run.records]
    return table(header, rows)


def memory(run):
    """Bytes held beside the caller's matrix, in units of the triangle's bytes."""
    methods = [name for name in ALGORITHMS if run.has_method(name)]
    header = ["held / triangle"] + [name.replace("_", " ") for name in methods]
    rows = [
        [matrix, *(number(run.value(matrix, name, "analysis", "held_ratio")) for name in methods)]
        for matrix in run.records
    ]
    return table(header, rows)


def once(run):
    """An analysis for one solve, and that solve, against cuSPARSE's."""
    header = ["for one solve", "analysis ms", "solve ms", "x cuSPARSE: analysis", "analysis and solve", "held / triangle"]
    rows = []
    for matrix in run.records:
        mine = [run.seconds(matrix, "once", phase) for phase in ("analysis", "solve")]
        row = [matrix, *map(milliseconds, mine)]
        row += [number(run.once_ratio(matrix, ["analysis"])), number(run.once_ratio(matrix, ["analysis", "solve"]))]
        rows.append([*row, number(run.value(matrix, "once", "analysis", "held_ratio"))])
    means = [
        geometric_mean(run.once_ratio(matrix, phases) for matrix in run.records)
        for phases in (["analysis"], ["analysis", "solve"])
    ]
    rows.append(["**geometric mean**", "", "", *map(number, means), ""])
    return table(header, rows)


def context(run):
    """Where the numbers come from, and the command that made them."""
    facts = run.context
    load = facts.get("load_avg") or [0.0]
    return (
        f"{facts['processor']}, {facts['threads']} threads in use; commit {facts['commit']}, {facts['compiler']}, "
        f"{facts['build_type']}; Kokkos {facts['kokkos']}, Kokkos Kernels {facts['kokkos_kernels']}; "
        f"{facts['date'][:10]}; {STATISTICS[run.statistic]}; "
        f"load average {load[0]:.1f} before the run.\n\n    {facts['command']}"
    )
