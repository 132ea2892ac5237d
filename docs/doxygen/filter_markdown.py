# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Doxygen reads in place of a Markdown file: the same text with links that Doxygen can follow.

Every page and heading gets an identifier that depends on no version of Doxygen, and links to documents become references to
them. What leads to a file that is no page (a source, a license) is printed as its name.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "unit_tests" / "docs"))
from markdown import LINK, MARK, headings  # noqa: E402


def page_of(path):
    """README.md is the main page, docs/adr/README.md docs-adr."""
    place = path.relative_to(ROOT).with_suffix("")
    parts = place.parts[:-1] if place.name == "README" else place.parts
    return "-".join(part.lower() for part in parts) or "mainpage"


def reference(path, text, target):
    name, _, anchor = target.partition("#")
    if re.match(r"^[a-z]+:", target):
        return f"[{text}]({target})"
    file = (path.parent / name).resolve() if name else path
    if file.suffix != ".md":
        return text
    return f"[{text}](@ref {page_of(file)}{'--' + anchor if anchor else ''})"


def outside_of_code(line, change):
    """The line with what is not between backticks changed."""
    pieces = re.split(r"(`+[^`]*`+)", line)
    return "".join(piece if piece.startswith("`") else change(piece) for piece in pieces)


def filtered(path):
    anchors = dict(headings(path))
    page, is_first = page_of(path), True
    lines = path.read_text(encoding="utf-8").split("\n")
    in_block = False
    for number, line in enumerate(lines, 1):
        if line.startswith(("```", "~~~")):
            in_block = not in_block
            # A block without a language would be taken for C++.
            yield (line + "{.unparsed}" if in_block and line.strip("`~") == "" else
                   line.replace("```cpp", "```{.cpp}").replace("```cmake", "```{.unparsed}").replace("```text", "```{.unparsed}"))
        elif in_block:
            yield line
        elif MARK.fullmatch(line.strip()):
            yield ""
        else:
            line = re.sub(r"!\[([^\]]*)\]\([^)]*?([^/)]+)\)", r'@image html \2', line)
            # Code in the text of a link is kept whole, so links are looked for before code.
            line = LINK.sub(lambda link: reference(path, link[1], link[2]), line)
            if number in anchors:
                identifier = page if is_first else f"{page}--{anchors[number]}"
                is_first = False
                line = f"{line.replace('`', '')} {{#{identifier}}}"  # Doxygen prints the tags of code in a heading
                line = re.sub(r"^# (\d+)\. ", r"# ADR \1: ", line)  # and takes a number in one for a list
            yield outside_of_code(line, lambda text: re.sub(r"(?<![\w(])#(?=\d)", r"\\#", text))


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    print("\n".join(filtered(pathlib.Path(sys.argv[1]).resolve())))
