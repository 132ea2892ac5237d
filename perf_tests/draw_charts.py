#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the three charts of docs/performance.md, and the picture of the README, from the numbers in docs/results.

    python3 perf_tests/draw_charts.py             # docs/results/*.csv into docs/img/*.svg

Needs matplotlib (python3-matplotlib on Debian and Ubuntu). report.py --csv writes the numbers of triangular solves.
"""

import pathlib

from reporting.charts import draw_iterations, draw_ratios
from reporting.level_picture import draw_levels

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS, IMAGES = ROOT / "docs" / "results", ROOT / "docs" / "img"


def main():
    IMAGES.mkdir(exist_ok=True)
    draw_ratios(
        RESULTS / "triangular-solve-cuda.csv",
        IMAGES / "triangular-solve-cuda.svg",
        "Triangular solves on one NVIDIA H200, double: how many times faster Terrace is",
        {"cusparse": "than cuSPARSE SpSV", "kokkos_kernels": "than Kokkos Kernels"},
    )
    draw_ratios(
        RESULTS / "triangular-solve-openmp.csv",
        IMAGES / "triangular-solve-openmp.svg",
        "Triangular solves on two threads of an AMD EPYC, double: how many times faster Terrace is",
        {
            "serial_loop": "than one loop on one thread",
            "mkl": "than MKL, two threads",
            "kokkos_kernels": "than Kokkos Kernels, two threads",
        },
    )
    draw_iterations(RESULTS / "iterations-cuda.csv", IMAGES / "iterations-cuda.svg")
    draw_levels(IMAGES / "levels.svg")


if __name__ == "__main__":
    main()
