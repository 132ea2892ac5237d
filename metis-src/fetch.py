#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unpack the pinned METIS sources beside this file.

The source distribution of the Python package highspy carries the part of METIS 5.2.1 that orders
graphs, with random numbers per call, under extern/metis; pip brings it through whatever index the
user's pip is set to. Only this folder is unpacked, and only after the archive's sha256 agrees.
docs/adr/0025-which-order.md says why.
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

PACKAGE, VERSION = "highspy", "1.15.1"
SHA256 = "20ed2fbf1cb64bf3044ee6632364b7e2653d93e6901e2b19fd3d5df10702e8c5"
FOLDER = "metis"
HERE = pathlib.Path(__file__).resolve().parent
STAMP = HERE / "unpacked.sha256"


def is_unpacked() -> bool:
    return STAMP.is_file() and STAMP.read_text().strip() == SHA256


def download(folder: pathlib.Path) -> pathlib.Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
               "--disable-pip-version-check", "--no-binary", PACKAGE, f"{PACKAGE}=={VERSION}",
               "--dest", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    archive = folder / f"{PACKAGE}-{VERSION}.tar.gz"
    # pip prepares the package's metadata after the download; a failure there is none for us.
    if not archive.is_file():
        sys.exit(f"metis-src: pip could not download {PACKAGE} {VERSION}:\n{done.stderr.strip()}\n"
                 "TERRACE_FETCH_METIS=OFF dissects with the system's METIS, in one thread.")
    return archive


def unpack(archive: pathlib.Path) -> None:
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"metis-src: {archive.name} has sha256 {found}, expected {SHA256}; nothing was unpacked")
    prefix = f"{PACKAGE}-{VERSION}/extern/"
    with tempfile.TemporaryDirectory(dir=HERE) as scratch:
        with tarfile.open(archive) as tar:
            tar.extractall(scratch, members=[m for m in tar.getmembers() if m.name.startswith(f"{prefix}{FOLDER}/")
                                             or m.name == f"{prefix}OrderingPrint.h"])
        shutil.rmtree(HERE / FOLDER, ignore_errors=True)
        shutil.move(f"{scratch}/{prefix}{FOLDER}", HERE / FOLDER)
        shutil.move(f"{scratch}/{prefix}OrderingPrint.h", HERE / FOLDER / "OrderingPrint.h")
    STAMP.write_text(SHA256 + "\n")


def main() -> None:
    if is_unpacked():
        return
    with tempfile.TemporaryDirectory() as scratch:
        unpack(download(pathlib.Path(scratch)))


if __name__ == "__main__":
    main()
