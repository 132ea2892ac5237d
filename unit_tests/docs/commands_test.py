# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the documents tell a reader to type exists: commands of ./dev, of terrace and of the benchmarks, their flags, presets,
CMake variables, and files that are run.

TERRACE_BIN is the folder with the program `terrace`; without it, its flags are looked for in its sources.
"""
import functools
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from markdown import documents, parse

ROOT = pathlib.Path(sys.argv.pop() if len(sys.argv) > 1 else ".").resolve()
BIN = os.environ.get("TERRACE_BIN")
SHELL = ("", "sh", "bash", "console")
FLAG = re.compile(r"^(--[a-z][a-z-]*)")
PERF = re.compile(r"^(?:\S*/)?(terrace_(?:grid_)?perf\w*)$")


@functools.cache
def text_of(*patterns):
    return "\n".join(path.read_text(encoding="utf-8") for pattern in patterns for path in sorted(ROOT.glob(pattern)))


@functools.cache
def dev():
    loader = importlib.machinery.SourceFileLoader("dev", str(ROOT / "dev"))
    sys.dont_write_bytecode = True
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("dev", loader))
    loader.exec_module(module)
    return module


@functools.cache
def help_of(command):
    if not BIN:
        return text_of("tools/command_line/*.cpp")
    return subprocess.run([str(pathlib.Path(BIN) / "terrace"), command, "--help"], capture_output=True, text=True,
                          check=False).stdout


def check_flags(words, known, whose):
    for word in words:
        flag = FLAG.match(word)
        if flag and not flag[1].startswith("--benchmark") and not re.search(re.escape(flag[1]) + r"(?![\w-])", known):
            yield f"{whose} has no {flag[1]}"


def check_dev(words):
    if not words:
        return
    if words[0] not in dev().COMMANDS:
        yield f"./dev has no command {words[0]}"
    elif words[0] == "bench":
        yield from check_flags(words[1:], text_of("perf_tests/harness/flags.cpp") + "--all-types", "./dev bench")
    else:
        usage = dev().COMMANDS[words[0]].__doc__ + "--all-types --help"
        yield from check_flags(words[1:], usage, f"./dev {words[0]}")


def check_terrace(words):
    if words and words[0].startswith("--"):
        yield from check_flags(words, "--help --version", "terrace")
    elif words:
        known = help_of(words[0])
        if not known:
            yield f"terrace has no command {words[0]}"
        yield from check_flags(words[1:], known + "--help", f"terrace {words[0]}")


def check_cmake(words):
    presets = {preset["name"] for preset in json.loads(text_of("CMakePresets.json"))["configurePresets"]}
    for index, word in enumerate(words):
        if word == "--preset" and words[index + 1] not in presets:
            yield f"there is no preset {words[index + 1]}"
        if variable := re.match(r"-D(TERRACE_\w+)", word):
            if variable[1] not in text_of("CMakeLists.txt", "*/CMakeLists.txt", "cmake/*.cmake"):
                yield f"there is no variable {variable[1]}"


def check_command(words):
    """What is wrong with one command."""
    while words and (re.match(r"^[A-Z_]+=", words[0]) or words[0] in ("export", "time", "python3")):
        words = words[1:]
    if not words:
        return
    name, rest = words[0], words[1:]
    if name in ("./dev", "dev"):
        yield from check_dev(rest)
    elif name == "terrace" or name.endswith("/terrace"):
        yield from check_terrace(rest)
    elif program := PERF.match(name):
        if program[1] not in text_of("perf_tests/CMakeLists.txt"):
            yield f"there is no program {program[1]}"
        yield from check_flags(rest, text_of("perf_tests/harness/flags.cpp"), program[1])
    elif name == "cmake":
        yield from check_cmake(rest)
    elif name.startswith(("perf_tests/", "unit_tests/", "cmake/")) and not (ROOT / name).exists():
        yield f"there is no file {name}"


def commands_in(line):
    """The commands of a line, without its comment."""
    line = re.sub(r"(^|\s)#.*$", "", line)
    for command in re.split(r"&&|\|\||;|\||> ", line):
        try:
            yield shlex.split(command)
        except ValueError:
            yield command.split()


def shell_lines(path):
    blocks, prose = parse(path)
    for block in blocks:
        if block.language in SHELL:
            joined = []
            for number, line in enumerate(block.lines, block.line):
                if joined and joined[-1][1].endswith("\\"):
                    joined[-1] = (joined[-1][0], joined[-1][1][:-1] + line)
                else:
                    joined.append((number, line))
            yield from joined
    for number, line in enumerate(prose, 1):
        for code in re.findall(r"`([^`]+)`", line):
            if re.match(r"(\./dev|terrace [a-z]|cmake --preset|perf_tests/\S+ |python3 )", code):
                yield number, code


class Commands(unittest.TestCase):
    def test_what_a_reader_is_told_to_type_exists(self):
        wrong, count = [], 0
        for path in documents(ROOT):
            if path.name == "CHANGELOG.md":
                continue  # tells of commands as they were
            for number, line in shell_lines(path):
                for words in commands_in(line):
                    count += bool(words)
                    wrong += [f"{path.relative_to(ROOT)}:{number}: {reason}" for reason in check_command(words)]
        self.assertGreater(count, 50)
        self.assertEqual([], wrong, "\n" + "\n".join(wrong))

    def test_variables_that_are_named_exist(self):
        known = text_of("CMakeLists.txt", "*/CMakeLists.txt", "cmake/*.cmake", "perf_tests/*.sh", "perf_tests/*/*.cmake",
                        "perf_tests/*/*.cpp", "tools/*/*.cpp", "dev", "CMakePresets.json", "unit_tests/*/*.hpp",
                        "unit_tests/*/*.cpp")
        wrong = []
        for path in documents(ROOT):
            if path.name == "CHANGELOG.md":
                continue
            for number, line in enumerate(parse(path)[1], 1):
                wrong += [f"{path.relative_to(ROOT)}:{number}: {name}"
                          for name in re.findall(r"`[^`]*\b(TERRACE_[A-Z_]+)", line) if name not in known]
        self.assertEqual([], wrong, "\n" + "\n".join(wrong))


if __name__ == "__main__":
    unittest.main()
