#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unpack the pinned sources of Kokkos 4.7.00 and Kokkos Kernels 4.4.00 beside this file.

The source distribution of the Python package pygenten carries both; docs/adr/0001-where-kokkos-comes-from.md says why.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cmake"))
from fetch_sources import Sources  # noqa: E402

if __name__ == "__main__":
    Sources("pygenten", "0.1.5", "e620f05c742905e2db705d875f1cac92ef0ed453f9e6734e9beda26cc0f9cce7",
            parts=["tpls/kokkos", "tpls/kokkos-kernels"], into=HERE,
            without="Install Kokkos 4.7+ and Kokkos Kernels and set Kokkos_ROOT and KokkosKernels_ROOT, or name\n"
                    "source trees with TERRACE_KOKKOS_SOURCE_DIR and TERRACE_KOKKOS_KERNELS_SOURCE_DIR.").fetch()
