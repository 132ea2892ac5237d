#!/usr/bin/env python3
"""Unpack the pinned Kokkos and Kokkos Kernels sources beside this file.

The source distribution of the Python package pygenten carries both under tpls/; pip brings it
through whatever index the user's pip is set to. Only these two folders are unpacked, and only
after the archive's sha256 agrees. docs/adr/0001-where-kokkos-comes-from.md says why.
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

PACKAGE, VERSION = "pygenten", "0.1.5"
SHA256 = "e620f05c742905e2db705d875f1cac92ef0ed453f9e6734e9beda26cc0f9cce7"
FOLDERS = ("kokkos", "kokkos-kernels")  # Kokkos 4.7.00 and Kokkos Kernels 4.4.00
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
        sys.exit(f"kokkos-src: pip could not download {PACKAGE} {VERSION}:\n{done.stderr.strip()}\n"
                 "Install Kokkos 4.7+ and Kokkos Kernels and set Kokkos_ROOT and KokkosKernels_ROOT, or name\n"
                 "source trees with TERRACE_KOKKOS_SOURCE_DIR and TERRACE_KOKKOS_KERNELS_SOURCE_DIR.")
    return archive


def unpack(archive: pathlib.Path) -> None:
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"kokkos-src: {archive.name} has sha256 {found}, expected {SHA256}; nothing was unpacked")
    prefix = f"{PACKAGE}-{VERSION}/tpls/"
    with tempfile.TemporaryDirectory(dir=HERE) as scratch:
        with tarfile.open(archive) as tar:
            wanted = [m for m in tar.getmembers()
                      if any(m.name.startswith(f"{prefix}{f}/") for f in FOLDERS)]
            tar.extractall(scratch, members=wanted)
        for folder in FOLDERS:
            shutil.rmtree(HERE / folder, ignore_errors=True)
            shutil.move(f"{scratch}/{prefix}{folder}", HERE / folder)
    STAMP.write_text(SHA256 + "\n")


def main() -> None:
    if is_unpacked():
        return
    with tempfile.TemporaryDirectory() as scratch:
        unpack(download(pathlib.Path(scratch)))


if __name__ == "__main__":
    main()
