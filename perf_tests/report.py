#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables and charts of the triangular solve from the JSON files of terrace_perf.

    terrace_perf --size=full --space=OpenMP --benchmark_out=openmp.json
    report.py openmp.json serial.json                              # Markdown to stdout
    report.py *.json --into docs/performance.md --charts docs/img  # into the document, charts beside it

The document must hold the two lines <!-- triangular_solve begin --> and <!-- triangular_solve end -->; what
stands between them is replaced.
"""

import argparse
import os
import sys
from pathlib import Path

from reporting.bars import bar_table
from reporting.chart import reference_of, speed_chart
from reporting.records import read_runs
from reporting.tables import PEER_TITLES, STATISTICS, context, every_method, memory, once, summary

BEGIN, END = "<!-- triangular_solve begin -->", "<!-- triangular_solve end -->"


def error_list(run):
    """What failed, in one line for all cases of the same reason."""
    cases = {}
    for name, message in run.errors:
        matrix, case = name.split(", ", 1)
        cases.setdefault((matrix, message), []).append(case)
    lines = [f"- {matrix} ({'; '.join(failed)}): {message}" for (matrix, message), failed in cases.items()]
    return ["Cases without a time:\n\n" + "\n".join(lines)] if lines else []


def section(run, chart):
    """All that is said of one kind of run."""
    parts = [f"### {run.title}", context(run), bar_table(run)]
    if chart:
        parts.append(f"![{run.title}: times faster than {PEER_TITLES[reference_of(run)]}]({chart})")
    parts.append("The automatic choice. `x peer`: how many times faster than the peer it solves.")
    parts += [summary(run), every_method(run)]
    if run.has_method("once") and run.has_method("cusparse"):
        parts.append(once(run))
    if run.right_hand_sides == 1:
        parts.append(memory(run))
    parts += error_list(run)
    return "\n\n".join(parts) + "\n"


def write_charts(runs, folder):
    folder.mkdir(parents=True, exist_ok=True)
    charts = {}
    for run in runs:
        name = run.title.lower().replace(",", "").replace(" ", "-")
        charts[run.title] = folder / f"triangular-solve-{name}.svg"
        charts[run.title].write_text(speed_chart(run), encoding="utf-8")
    return charts


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
    parser.add_argument("--charts", type=Path, metavar="DIR", help="write an SVG chart per space")
    parser.add_argument(
        "--statistic",
        choices=STATISTICS,
        default="median",
        help="of the repetitions; min suits a machine that others use",
    )
    arguments = parser.parse_args()

    runs = read_runs(arguments.files, arguments.statistic)
    charts = write_charts(runs, arguments.charts) if arguments.charts else {}
    start = arguments.into.parent if arguments.into else Path()
    links = {title: os.path.relpath(path, start) for title, path in charts.items()}
    report = "\n".join(section(run, links.get(run.title)) for run in runs)
    if arguments.into:
        replace_between_markers(arguments.into, report)
    else:
        print(report)


if __name__ == "__main__":
    main()
