#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of the triangular solve from the JSON files of terrace_perf.

    terrace_perf --size=full --space=OpenMP --benchmark_out=openmp.json
    report.py openmp.json serial.json                         # Markdown to stdout
    report.py cuda.json --into docs/results/triangular-gpu.md --csv docs/results

The CSV files hold the times in milliseconds, from which draw_charts.py draws.

The document must hold the two lines <!-- triangular_solve begin --> and <!-- triangular_solve end -->; what
stands between them is replaced.
"""

import argparse
import csv
import sys
from pathlib import Path

from reporting.bars import bar_table
from reporting.records import read_runs
from reporting.tables import STATISTICS, context, every_method, memory, milliseconds, once, solving_methods, summary

BEGIN, END = "<!-- triangular_solve begin -->", "<!-- triangular_solve end -->"


def error_list(run):
    """What failed, in one line for all cases of the same reason."""
    cases = {}
    for name, message in run.errors:
        matrix, case = name.split(", ", 1)
        cases.setdefault((matrix, message), []).append(case)
    lines = [f"- {matrix} ({'; '.join(failed)}): {message}" for (matrix, message), failed in cases.items()]
    return ["Cases without a time:\n\n" + "\n".join(lines)] if lines else []


def section(run):
    """All that is said of one kind of run."""
    parts = [f"### {run.title}", context(run), bar_table(run)]
    parts.append("The automatic choice. `x peer`: how many times faster than the peer it solves.")
    parts += [summary(run), every_method(run)]
    if run.has_method("once") and run.has_method("cusparse"):
        parts.append(once(run))
    if run.right_hand_sides == 1:
        parts.append(memory(run))
    parts += error_list(run)
    return "\n\n".join(parts) + "\n"


def write_csv(run, folder):
    """The solve times of all methods, a matrix in a row."""
    folder.mkdir(parents=True, exist_ok=True)
    name = run.title.lower().replace(",", "").replace(" ", "-")
    methods = solving_methods(run)
    with open(folder / f"triangular-solve-{name}.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["matrix", *methods])
        for matrix in run.records:
            times = (milliseconds(run.seconds(matrix, method)) for method in methods)
            writer.writerow([matrix, *(time.replace(",", "") for time in times)])


def replace_between_markers(document, report):
    content = document.read_text(encoding="utf-8")
    if content.count(BEGIN) != 1 or content.count(END) != 1 or content.index(BEGIN) > content.index(END):
        sys.exit(f"{document} must hold the lines\n{BEGIN}\n{END}\nonce each, in this order")
    before, after = content.split(BEGIN)[0], content.split(END)[1]
    document.write_text(f"{before}{BEGIN}\n\n{report}\n{END}{after}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="what --benchmark_out wrote")
    parser.add_argument("--into", type=Path, metavar="DOCUMENT", help="a Markdown file with the markers")
    parser.add_argument("--csv", type=Path, metavar="DIR", help="write a CSV file for each space, for draw_charts.py")
    parser.add_argument(
        "--statistic",
        choices=STATISTICS,
        default="median",
        help="of the repetitions; min suits a machine that others use",
    )
    arguments = parser.parse_args()

    runs = read_runs(arguments.files, arguments.statistic)
    if arguments.csv:
        for run in runs:
            write_csv(run, arguments.csv)
    report = "\n".join(section(run) for run in runs)
    if arguments.into:
        replace_between_markers(arguments.into, report)
    else:
        print(report)


if __name__ == "__main__":
    main()
