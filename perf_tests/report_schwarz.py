#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tables of the Schwarz preconditioners from the JSON files of terrace_perf_schwarz.

    terrace_perf_schwarz --size=full --space=OpenMP --benchmark_out=schwarz.json
    report_schwarz.py schwarz.json                              # Markdown to stdout
"""

import argparse
import sys
from pathlib import Path

from reporting.records import read_records
from reporting.tables import STATISTICS, context, count, number, table

PEERS = {"serial_loop": "serial loop", "kokkos_kernels": "Kokkos Kernels", "cusparse": "cuSPARSE"}


def microseconds(seconds):
    return number(seconds * 1e6) if seconds is not None else ""


def milliseconds(seconds):
    return number(seconds * 1e3) if seconds is not None else ""


def quotient(a, b):
    return number(a / b) if a and b else ""


def peers_of(run):
    return [peer for peer in PEERS if run.has_method(peer)]


def name_and_blocks(run, case):
    """The first columns of each row."""
    return [case.split(".")[0], count(run.of_matrix(case, "blocks")), count(run.of_matrix(case, "overlap"))]


def pattern(run):
    header = ["matrix", "blocks", "overlap", "rows / n", "entries / nnz", "levels", "held / factor", "algorithm"]
    rows = []
    for case in run.records:
        row = name_and_blocks(run, case)
        row += [number(run.of_matrix(case, name)) for name in ("row_growth", "entry_growth")]
        row += [count(run.of_matrix(case, "levels"))]
        row += [number(run.value(case, "automatic", "application", "held_ratio"))]
        rows.append([*row, (run.value(case, "automatic", "application", "label") or "").split(":")[0]])
    return table(header, rows)


def applications(run):
    """Microseconds, and how many times as fast as the peers; 8 and 32 columns against as many applications."""
    peers = peers_of(run)
    header = ["application us", "blocks", "overlap", "Terrace", "single", "solvers"]
    header += [PEERS[peer] for peer in peers] + [f"x {PEERS[peer]}" for peer in peers]
    header += ["limit", "times the limit", "x 8 columns", "x 32 columns"]
    rows = []
    for case in run.records:
        mine = run.seconds(case, "automatic", "application")
        row = name_and_blocks(run, case)
        row += [microseconds(run.seconds(case, name, "application")) for name in ("automatic", "single", "solvers", *peers)]
        row += [quotient(run.seconds(case, peer, "application"), mine) for peer in peers]
        limit = run.value(case, "automatic", "application", "limit_s")
        row += [microseconds(limit), quotient(mine, limit)]
        for columns in (8, 32):
            together = run.seconds(case, "automatic", f"application_{columns}")
            row.append(quotient(columns * mine, together) if mine else "")
        rows.append(row)
    return table(header, rows)


def set_up(run):
    header = ["set-up ms", "blocks", "overlap", "partition", "subdomains", "factor", "new values"]
    peers = peers_of(run)
    header += [f"{PEERS[peer]}: {phase}" for peer in peers for phase in ("factor", "new values")]
    rows = []
    for case in run.records:
        row = [*name_and_blocks(run, case), milliseconds(run.of_matrix(case, "partition_s"))]
        row += [milliseconds(run.seconds(case, "automatic", phase)) for phase in ("subdomains", "factor", "refactorize")]
        row += [milliseconds(run.seconds(case, peer, phase)) for peer in peers for phase in ("factor", "refactorize")]
        rows.append(row)
    return table(header, rows)


def iterations(run):
    """GMRES(20): what a step takes, and how many there are."""
    methods = [name for name in ("automatic", "single", "serial_loop", "cusparse") if run.seconds_of_any(name, "gmres")]
    titles = {"automatic": "Terrace", **PEERS}
    header = ["GMRES(20)", "blocks", "overlap", "tolerance"]
    for name in methods:
        header += [f"{titles.get(name, name)}: us a step", "steps", "cycles", "true residual", "ms in all"]
    header += ["limit of a step", "times the limit"]
    rows = []
    for case in run.records:
        row = [*name_and_blocks(run, case), f"{run.of_matrix(case, 'tolerance'):g}"]
        for name in methods:
            row.append(microseconds(run.seconds(case, name, "gmres")))
            row += [count(run.value(case, name, "solve", counter)) for counter in ("steps", "cycles")]
            residual = run.value(case, name, "solve", "true_residual")
            row += [f"{residual:.1e}" if residual is not None else "", milliseconds(run.seconds(case, name, "solve"))]
        limit = run.value(case, "automatic", "gmres", "limit_s")
        rows.append([*row, microseconds(limit), quotient(run.seconds(case, "automatic", "gmres"), limit)])
    return table(header, rows)


def failures(run):
    return ["Cases without a time:\n\n" + "\n".join(f"- {name}: {message}" for name, message in run.errors)] if run.errors else []


def section(run):
    parts = [f"### {run.title}", context(run), pattern(run), applications(run), set_up(run), iterations(run)]
    return "\n\n".join([*parts, *failures(run)]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="what --benchmark_out wrote")
    parser.add_argument("--statistic", choices=STATISTICS, default="median", help="of the repetitions")
    arguments = parser.parse_args()
    for path in arguments.files:
        run = read_records(path, "schwarz", arguments.statistic)
        if not run.records and not run.errors:
            sys.exit(f"{path} has no records of terrace_perf_schwarz")
        print(section(run))


if __name__ == "__main__":
    main()
