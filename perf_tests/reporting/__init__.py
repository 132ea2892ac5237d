# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the JSON files of the benchmarks into tables, and kept numbers into charts."""
