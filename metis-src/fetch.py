#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unpack the pinned METIS sources beside this file.

The source distribution of the Python package highspy carries the part of METIS 5.2.1 that orders graphs, with random
numbers per call; docs/adr/0025-which-order.md says why.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cmake"))
from fetch_sources import Sources  # noqa: E402

if __name__ == "__main__":
    Sources("highspy", "1.15.1", "20ed2fbf1cb64bf3044ee6632364b7e2653d93e6901e2b19fd3d5df10702e8c5",
            parts=["extern/metis", "extern/OrderingPrint.h"], into=HERE,
            without="TERRACE_FETCH_METIS=OFF dissects with the system's METIS, in one thread.").fetch()
