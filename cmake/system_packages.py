# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Terrace needs from the system, how to see that it is there, and how to get it.

Every probe looks for the thing itself, so that a second run costs nothing and what was installed by hand counts.
"""
import glob
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PREFIXES = [prefix for prefix in os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep) if prefix]
PREFIXES += ["/usr/local", "/usr"]


def program(*names):
    return lambda: any(shutil.which(name) for name in names)


def header(*names):
    return lambda: any(os.path.exists(f"{prefix}/include/{name}") for prefix in PREFIXES for name in names)


def library(name):
    folders = ("lib", "lib64", "lib/*")
    return lambda: any(glob.glob(f"{prefix}/{folder}/lib{name}.so") for prefix in PREFIXES for folder in folders)


def cmake_package(name):
    folders = ("lib/cmake", "lib64/cmake", "lib/*/cmake", "share/cmake")
    return lambda: any(glob.glob(f"{prefix}/{folder}/{name}*") for prefix in PREFIXES for folder in folders)


def cmake_is_new_enough():
    if not shutil.which("cmake"):
        return False
    text = subprocess.run(["cmake", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"(\d+)\.(\d+)", text)
    return bool(version) and (int(version[1]), int(version[2])) >= (3, 25)


def kokkos_can_be_fetched():
    unpacked = (HERE.parent / "kokkos-src" / "unpacked.sha256").exists()
    return unpacked or bool(os.environ.get("Kokkos_ROOT")) or importlib.util.find_spec("pip") is not None


# The Debian and Ubuntu package, what it brings, and the probe.
TO_BUILD = [
    ("g++", "a C++20 compiler", program("c++", "g++", "clang++")),
    ("cmake", "CMake 3.25 or newer", cmake_is_new_enough),
    ("ninja-build", "Ninja", program("ninja")),
    ("python3-pip", "pip, which fetches Kokkos", kokkos_can_be_fetched),
    ("zlib1g-dev", "zlib", header("zlib.h")),
    ("libmetis-dev", "METIS", header("metis.h")),
    ("libopenblas-pthread-dev", "a BLAS that several threads may call", library("openblas")),
    ("libsuitesparse-dev", "AMD of SuiteSparse", header("suitesparse/amd.h", "amd.h")),
    ("libcli11-dev", "CLI11", cmake_package("CLI11")),
    ("nlohmann-json3-dev", "JSON for Modern C++", cmake_package("nlohmann_json")),
    ("libgtest-dev", "GoogleTest", cmake_package("GTest")),
    ("libbenchmark-dev", "Google Benchmark", cmake_package("benchmark")),
]
TO_DOCUMENT = [
    ("doxygen", "Doxygen", program("doxygen")),
    ("graphviz", "Graphviz", program("dot")),
]
TO_FORMAT = [("clang-format", "clang-format", program("clang-format"))]
TO_LINT = [("clang-tidy", "clang-tidy", program("clang-tidy"))]
TO_REBUILD = [("ccache", "ccache", program("ccache"))]  # used where it is there, never needed


def missing(packages):
    return [(package, what) for package, what, is_there in packages if not is_there()]


def administrator():
    """The words before apt-get: none for root, sudo where it asks no password, None without the right."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def say_what_is_missing(absent, reason):
    print(f"Missing: {', '.join(what for _, what in absent)}.", file=sys.stderr)
    print(f"{reason}. On Debian or Ubuntu this installs them:", file=sys.stderr)
    print(f"  sudo apt-get install {' '.join(package for package, _ in absent)}", file=sys.stderr)
    sys.exit(1)


def apt_get(prefix, *arguments):
    """Quiet unless it fails. env stands behind sudo, which would not hand the variable on."""
    command = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout.strip(), file=sys.stderr)
    return done.returncode == 0


def ensure(packages):
    """Installs what is missing, or says exactly what that is and ends with status 1."""
    absent = missing(packages)
    if not absent:
        return
    if not shutil.which("apt-get"):
        say_what_is_missing(absent, "This system has no apt-get to install them with")
    prefix = administrator()
    if prefix is None:
        say_what_is_missing(absent, "You have no right to install packages here without a password")
    print(f"Installing {', '.join(what for _, what in absent)} ...", file=sys.stderr)
    apt_get(prefix, "update")
    if not apt_get(prefix, "install", "-y", "--no-install-recommends", *(package for package, _ in absent)):
        say_what_is_missing(absent, "apt-get could not install them")
    if still_absent := missing(packages):
        say_what_is_missing(still_absent, "They are installed, and not there or too old")
