#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tables of the direct factorizations from the JSON files of terrace_perf_direct.

    terrace_perf_direct --size=full --space=Cuda --benchmark_out=direct.json --benchmark_out_format=json
    report_direct.py direct.json                              # Markdown to stdout

Several files of one space and precision are one run: records of later files replace those of earlier ones.
"""

import argparse
import sys
from pathlib import Path

from reporting.records import geometric_mean, read_records
from reporting.tables import STATISTICS, context, count, milliseconds, number, table

PEERS = {
    "cudss": "cuDSS",
    "cudss_default": "cuDSS, its default",
    "cholmod": "CHOLMOD",
    "mumps": "MUMPS",
    "pardiso": "PARDISO of MKL",
    "umfpack": "UMFPACK",
}
PHASES = {
    "analysis": "analysis",
    "factor": "first factorization",
    "refactor": "factorization",
    "solve": "solve",
    "solve_64": "64 right-hand sides",
}
LIKE = {
    "wave-plate": "windscreen",
    "solid-31": "crystk03",
    "strip-170": "bcsstk37",
    "strip-280": "bcsstk35",
    "solid-34": "t3dh",
    "slab-112": "TEM152078",
    "slab-123": "TEM181302",
    "shell-191": "pwtk",
    "shell-203": "BenElechi1",
}
# Chen and Wang 2021, tables 1 and 2: times faster than UMFPACK, numeric phase and in all.
IN_THE_PAPER = {
    "windscreen": (14.342, 8.056),
    "crystk03": (7.143, 4.513),
    "bcsstk37": (4.224, 2.763),
    "bcsstk35": (4.692, 3.399),
    "t3dh": (46.227, 25.245),
    "TEM152078": (40.884, 21.262),
    "TEM181302": (35.884, 18.670),
    "pwtk": (7.343, 3.805),
    "BenElechi1": (7.805, 4.309),
}


def megabytes(size):
    return number(size * 1e-6) if size is not None else ""


def quotient(a, b):
    return a / b if a and b else None


def mean_row(run, columns, values):
    """The last row: geometric means, under columns that have no mean of their own nothing."""
    return ["**geometric mean**", *[""] * columns, *(number(geometric_mean(value)) for value in values)]


def peers_of(run):
    return [peer for peer in PEERS if run.has_method(peer)]


def matrices(run):
    header = ["matrix", "n", "entries of the triangle", "entries of L, METIS", "L / entries", "operations"]
    header += ["order", "fronts", "largest front", "entries stored / L", "replaced pivots", "max abs L"]
    rows = []
    for matrix in run.records:
        n, nnz, factor = (run.of_matrix(matrix, name) for name in ("n", "nnz", "factor_entries"))
        operations = run.value(matrix, "automatic", "refactor", "operations")
        own = {
            name: run.value(matrix, "automatic", "refactor", name)
            for name in ("fronts", "largest_front", "method_stored_entries", "replaced_pivots", "growth")
        }
        label = run.value(matrix, "automatic", "refactor", "label") or ""
        row = [matrix, count(n), count(nnz), count(factor), number(quotient(factor, nnz))]
        row += [f"{operations:.2e}" if operations else "", label.split(":")[0], count(own["fronts"])]
        row += [count(own["largest_front"]), number(quotient(own["method_stored_entries"], factor))]
        rows.append([*row, count(own["replaced_pivots"]), number(own["growth"])])
    return table(header, rows)


def phase_table(run, phase):
    """Milliseconds, and how many times as fast as each peer, and as multiple of the limit."""
    peers = peers_of(run)
    methods = [name for name in ("automatic", "columns", "single") if run.seconds_of_any(name, phase)]
    is_limited = any(run.value(matrix, "automatic", phase, "limit_s") for matrix in run.records)
    has_rate = any(run.value(matrix, "automatic", phase, "TFLOP_per_s") for matrix in run.records)
    header = [f"{PHASES[phase]}, ms", *("Terrace" if name == "automatic" else name for name in methods)]
    header += [PEERS[peer] for peer in peers] + [f"x {PEERS[peer]}" for peer in peers]
    header += ["GFLOP/s"] if has_rate else []
    header += ["limit", "times the limit"] if is_limited else []
    rows, faster, over = [], {peer: [] for peer in peers}, []
    for matrix in run.records:
        mine = run.seconds(matrix, "automatic", phase)
        row = [matrix, *(milliseconds(run.seconds(matrix, name, phase)) for name in [*methods, *peers])]
        for peer in peers:
            faster[peer].append(run.ratio(matrix, "automatic", peer, phase))
            row.append(number(faster[peer][-1]))
        if has_rate:
            rate = run.value(matrix, "automatic", phase, "TFLOP_per_s")
            row.append(number(rate * 1e3) if rate else "")
        if is_limited:
            limit = run.value(matrix, "automatic", phase, "limit_s")
            over.append(quotient(mine, limit))
            row += [milliseconds(limit), number(over[-1])]
        rows.append(row)
    blank = len(methods) + len(peers)
    last = mean_row(run, blank, faster.values()) + ([""] if has_rate else [])
    rows.append(last + (["", number(geometric_mean(over))] if is_limited else []))
    return table(header, rows)


def orders(run):
    """How much of an analysis is the order."""
    def tells(name):
        return any(run.value(matrix, name, "analysis", "ordering_s") for matrix in run.records)

    methods = [name for name in ("automatic", *PEERS) if tells(name)]
    titles = {"automatic": "Terrace", **PEERS}
    header = ["analysis, ms", *(f"{titles[name]}: {part}" for name in methods for part in ("order", "the rest"))]
    header += [f"{titles[name]}: entries of L / METIS's" for name in methods]
    rows = []
    for matrix in run.records:
        row = [matrix]
        for name in methods:
            order, whole = run.value(matrix, name, "analysis", "ordering_s"), run.seconds(matrix, name, "analysis")
            row += [milliseconds(order), milliseconds(max(0.0, whole - order)) if order and whole else ""]
        for name in methods:
            entries = run.value(matrix, name, "analysis", "method_factor_entries")
            row.append(number(quotient(entries, run.of_matrix(matrix, "factor_entries"))))
        rows.append(row)
    return table(header, rows)


def memory(run):
    methods = [name for name in ("automatic", "single", *PEERS) if run.has_method(name)]
    titles = {"automatic": "Terrace", "single": "Terrace, factor in single", **PEERS}
    header = ["MB", *(f"{titles[name]}: {part}" for name in methods for part in ("held", "peak"))]
    rows = []
    for matrix in run.records:
        row = [matrix]
        for name in methods:
            row += [megabytes(run.value(matrix, name, "refactor", part)) for part in ("bytes_held", "peak_bytes")]
        rows.append(row)
    return table(header, rows)


def errors(run):
    """Componentwise backward errors; refinement from a factor in the matrix's numbers and from one in single."""
    methods = [name for name in ("automatic", "single", "columns", *PEERS) if run.has_method(name)]
    titles = {"automatic": "Terrace", **PEERS}
    header = ["backward error", *(titles.get(name, name) for name in methods)]
    header += ["refined", "steps", "ms", "single, refined", "steps", "ms"]
    rows = []
    for matrix in run.records:
        row = [matrix]
        for name in methods:
            found = [run.value(matrix, name, phase, "backward_error") for phase in ("solve", "solve_64")]
            found = [error for error in found if error is not None]
            row.append(f"{max(found):.1e}" if found else "")
        for name in ("automatic", "single"):
            error = run.value(matrix, name, "refined_solve", "backward_error")
            row += [f"{error:.1e}" if error is not None else ""]
            row += [count(run.value(matrix, name, "refined_solve", "refinement_steps"))]
            row += [milliseconds(run.seconds(matrix, name, "refined_solve"))]
        rows.append(row)
    return table(header, rows)


def against_the_paper(run):
    """Symbolic, numeric, solve and total against UMFPACK, for the shapes of the paper's tables."""
    header = ["synthetic, like", "L / entries", "symbolic, ms", "numeric", "solve", "total", "UMFPACK: total"]
    header += ["numeric x", "total x", "in the paper: numeric x", "total x", "by columns: numeric x"]
    rows = []
    for matrix in sorted(set(run.records) & set(LIKE), key=list(LIKE).index):
        phases = ("analysis", "factor", "solve")
        mine, theirs = ([run.seconds(matrix, name, phase) for phase in phases] for name in ("automatic", "umfpack"))
        total, total_of_theirs = (sum(times) if all(times) else None for times in (mine, theirs))
        fill = quotient(run.of_matrix(matrix, "factor_entries"), run.of_matrix(matrix, "nnz"))
        row = [f"{matrix}, {LIKE[matrix]}", number(fill), *map(milliseconds, mine)]
        row += [milliseconds(total), milliseconds(total_of_theirs), number(quotient(theirs[1], mine[1]))]
        row += [number(quotient(total_of_theirs, total)), *map(number, IN_THE_PAPER[LIKE[matrix]])]
        rows.append([*row, number(quotient(theirs[1], run.seconds(matrix, "columns", "factor")))])
    return table(header, rows)


def failures(run):
    """A line for each method of a matrix, which fails or is left out in all its phases."""
    reasons = {}
    for name, message in run.errors:
        reasons.setdefault(name.rsplit(", ", 1)[0], message)
    lines = [f"- {name}: {message}" for name, message in reasons.items()]
    return ["Cases without a time:\n\n" + "\n".join(lines)] if lines else []


def section(run):
    parts = [f"### {run.title}", context(run), matrices(run)]
    parts += [phase_table(run, phase) for phase in PHASES if run.seconds_of_any("automatic", phase)]
    parts += [orders(run), memory(run), errors(run)]
    if set(run.records) & set(LIKE) and run.has_method("umfpack"):
        parts.append(against_the_paper(run))
    return "\n\n".join([*parts, *failures(run)]) + "\n"


def merge(runs):
    """Runs of one title: one run, with the context of the last."""
    by_title = {}
    for run in runs:
        before = by_title.get(run.title)
        if before:
            for matrix, methods in before.records.items():
                for method, phases in methods.items():
                    kept = run.records.setdefault(matrix, {}).setdefault(method, {})
                    for phase, record in phases.items():
                        kept.setdefault(phase, record)
            run.errors = before.errors + run.errors
        by_title[run.title] = run
    return list(by_title.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="what --benchmark_out wrote")
    parser.add_argument("--statistic", choices=STATISTICS, default="median", help="of the repetitions")
    arguments = parser.parse_args()
    runs = []
    for path in arguments.files:
        runs.append(read_records(path, "direct", arguments.statistic))
        if not runs[-1].records and not runs[-1].errors:
            sys.exit(f"{path} has no records of terrace_perf_direct")
    for run in merge(runs):
        print(section(run))


if __name__ == "__main__":
    main()
