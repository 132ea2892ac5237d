# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every relative link of the documents leads to a file that exists, and every anchor to a heading in it."""
import pathlib
import re
import sys
import unittest

from markdown import documents, parse

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\[[^\]]+\]:\s*(\S+)")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")


def anchors(path):
    """As GitHub makes them: lower case, without punctuation, hyphens for blanks, a number where one comes again."""
    seen, found = {}, set()
    for line in parse(path)[1]:
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return found


def links(path):
    for number, line in enumerate(parse(path)[1], 1):
        line = CODE.sub(lambda code: "`" * len(code[0]), line)
        for target in LINK.findall(line) + REFERENCE.findall(line):
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
