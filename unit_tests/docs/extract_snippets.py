# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the C++ blocks of documents as one source, each in a namespace of its own, for the compiler to judge.

    extract_snippets.py OUTPUT.cpp FILE.md...

A block is a list of statements, unless the comment above it says what it is:
    <!-- test: declarations -->     it stands outside of functions
    <!-- test: continues -->        statements that know the names of the block before
    <!-- test: program FILE -->     a whole file, which embedding_test.py builds and runs
The names that statements may use without declaring them are in prelude.hpp.
"""
import pathlib
import sys

from markdown import parse

KINDS = ("", "declarations", "continues")


def wrapped(block, index):
    """A block between the lines that make it a translation unit's part; messages name the document's lines."""
    body = f'#line {block.line} "{block.path.as_posix()}"\n{block.text}'
    if block.mark == "declarations":
        return f"namespace snippet_{index} {{\n{body}}}\n"
    return f"namespace snippet_{index} {{\n[[maybe_unused]] static void run() {{\n{body}}}\n}}\n"


def write(output, documents):
    groups = []
    for path in documents:
        first = len(groups)
        for block in parse(path)[0]:
            if block.language != "cpp" or block.mark.startswith("program "):
                continue
            if block.mark not in KINDS:
                sys.exit(f"{block}: 'test: {block.mark}' is none of: declarations, continues, program FILE")
            if block.mark == "continues":
                if len(groups) == first:
                    sys.exit(f"{block}: there is no block that it continues")
                # The lines between keep their numbers.
                gap = block.line - groups[-1].line - len(groups[-1].lines)
                groups[-1].lines += [""] * gap + block.lines
            else:
                groups.append(block)
    parts = ['#include "prelude.hpp"\n', *(wrapped(block, index) for index, block in enumerate(groups))]
    pathlib.Path(output).write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1], [pathlib.Path(name) for name in sys.argv[2:]])
