# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records of a suite, by what was run, matrix, method and phase."""

import json
import math


ORDINARY = {"precision": "double", "triangle": "lower", "right_hand_sides": "1"}


def title_of(context):
    """The space, and what is not as usual."""
    asked = {name: context.get(name, usual) for name, usual in ORDINARY.items()}
    words = [context["space"]]
    words += [asked["precision"]] if asked["precision"] != "double" else []
    words += ["upper triangles"] if asked["triangle"] == "upper" else []
    words += [f"{asked['right_hand_sides']} right-hand sides"] if asked["right_hand_sides"] != "1" else []
    return ", ".join(words)


class Run:
    """One kind of run: the context of its file, and records[matrix][method][phase]."""

    def __init__(self, context, statistic):
        self.context = context
        self.statistic = statistic
        self.space = context["space"]
        self.title = title_of(context)
        self.right_hand_sides = int(context.get("right_hand_sides", "1"))
        self.records = {}
        self.errors = []

    def add(self, name, record):
        _, _, matrix, method, phase = name.split("/")[:5]
        if record.get("error_occurred"):
            self.errors.append((f"{matrix}, {method}, {phase}", record.get("error_message", "")))
        else:
            self.records.setdefault(matrix, {}).setdefault(method, {})[phase] = record

    def value(self, matrix, method, phase, counter):
        """A counter, or None when that case was not run."""
        return self.records.get(matrix, {}).get(method, {}).get(phase, {}).get(counter)

    def seconds(self, matrix, method, phase="solve"):
        return self.value(matrix, method, phase, f"{self.statistic}_s")

    def ratio(self, matrix, method, peer, phase="solve"):
        """How many times faster the method solves (or analyses) than the peer."""
        mine, theirs = self.seconds(matrix, method, phase), self.seconds(matrix, peer, phase)
        return theirs / mine if mine and theirs else None

    def once_ratio(self, matrix, phases):
        """How many times faster these phases are together than cuSPARSE's, when they are for one solve."""
        mine = [self.seconds(matrix, "once", phase) for phase in phases]
        theirs = [self.seconds(matrix, "cusparse", phase) for phase in phases]
        return sum(theirs) / sum(mine) if all(mine) and all(theirs) else None

    def times_limit(self, matrix):
        """The automatic choice's time over what bounds a solve on an H200: bytes at 4 TB/s, levels at 0.2 us."""
        seconds, moved = self.seconds(matrix, "automatic"), self.value(matrix, "automatic", "solve", "bytes")
        if not seconds or not moved:
            return None
        return seconds / max(moved / 4e12, self.of_matrix(matrix, "levels") * 0.2e-6)

    def of_matrix(self, matrix, counter):
        """A counter that all records of the matrix share."""
        for phases in self.records[matrix].values():
            for record in phases.values():
                return record[counter]
        return None

    def seconds_of_any(self, method, phase):
        return any(self.seconds(matrix, method, phase) for matrix in self.records)

    def has_method(self, method):
        return any(method in methods for methods in self.records.values())


def read_runs(paths, statistic):
    """A Run for each title; records of later files replace those of earlier ones."""
    runs = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        run = runs.setdefault(title_of(content["context"]), Run(content["context"], statistic))
        for record in content["benchmarks"]:
            if record["name"].startswith("triangular_solve/") and record.get("run_type") == "iteration":
                run.add(record["name"], record)
    return list(runs.values())


def read_records(path, suite, statistic):
    """The Run of one file, whatever suite it is of."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    run = Run(content["context"], statistic)
    for record in content["benchmarks"]:
        if record["name"].startswith(f"{suite}/") and record.get("run_type") == "iteration":
            run.add(record["name"], record)
    return run


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
