# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The project's Markdown files: which there are, their code blocks, and their text without them."""
import pathlib
import re

OTHERS = {"build", "kokkos-src/kokkos", "kokkos-src/kokkos-kernels", "metis-src/metis", ".git", ".cache"}
FENCE = re.compile(r"^(```+|~~~+)\s*([\w+-]*)\s*$")
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
MARK = re.compile(r"<!--\s*test:\s*(.*?)\s*-->")


class Block:
    """A fenced block: its language, what the comment above it says, its lines, and the number of the first, from 1."""

    def __init__(self, path, language, mark, line):
        self.path, self.language, self.mark, self.line, self.lines = path, language, mark, line, []

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def __str__(self):
        return f"{self.path}:{self.line}"


def documents(root):
    """All .md files that are ours."""
    root = pathlib.Path(root)
    for path in sorted(root.rglob("*.md")):
        place = path.relative_to(root).as_posix()
        if not any(place == other or place.startswith(other + "/") for other in OTHERS):
            yield path


def parse(path):
    """The blocks of a document, and its lines with those of the blocks empty, so that line numbers stay."""
    blocks, prose, block, fence, mark = [], [], None, "", ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        found = FENCE.match(line)
        if block is not None:
            if found and line.startswith(fence):
                block = None
            else:
                block.lines.append(line)
            prose.append("")
        elif found:
            fence = found[1]
            block = Block(path, found[2], mark, number + 1)
            blocks.append(block)
            prose.append("")
        else:
            prose.append(line)
            if line.strip():
                comment = MARK.fullmatch(line.strip())
                mark = comment[1] if comment else ""
    return blocks, prose


def headings(path):
    """The number of each heading's line, and its anchor as GitHub makes it: lower case, without punctuation, hyphens for
    blanks, a number where one comes again."""
    seen = {}
    for number, line in enumerate(parse(path)[1], 1):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        yield number, f"{slug}-{seen[slug]}" if slug in seen else slug
        seen[slug] = seen.get(slug, 0) + 1
