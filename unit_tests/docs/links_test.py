# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every relative link of the documents leads to a file that exists, and every anchor to a heading in it."""
import pathlib
import re
import sys
import unittest

from markdown import LINK, documents, headings, parse

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
CODE = re.compile(r"`[^`]*`")
REFERENCE = re.compile(r"^\[[^\]]+\]:\s*(\S+)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


def anchors(path):
    return {anchor for _, anchor in headings(path)}


def links(path):
    for number, line in enumerate(parse(path)[1], 1):
        line = CODE.sub(lambda code: "`" * len(code[0]), line)
        for target in [link[1] for link in LINK.findall(line)] + REFERENCE.findall(line):
            if not ELSEWHERE.match(target):
                yield number, target


def what_is_wrong(path, target):
    """Nothing, or a sentence."""
    name, _, anchor = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if not file.exists():
        return "there is no such file"
    if ROOT not in [file, *file.parents]:
        return "leads out of the project"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return f"{file.name} has no heading for #{anchor}"
    return ""


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        wrong, count = [], 0
        for path in documents(ROOT):
            for number, target in links(path):
                count += 1
                if reason := what_is_wrong(path, target):
                    wrong.append(f"{path.relative_to(ROOT)}:{number}: {target}: {reason}")
        self.assertGreater(count, 50)
        self.assertEqual([], wrong, "\n" + "\n".join(wrong))

    def test_every_decision_is_in_the_index(self):
        index = (ROOT / "docs/adr/README.md").read_text(encoding="utf-8")
        for page in sorted((ROOT / "docs/adr").glob("[0-9]*.md")):
            self.assertIn(f"]({page.name})", index)


if __name__ == "__main__":
    unittest.main()
