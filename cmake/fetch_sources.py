# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unpack parts of a pinned source distribution of a Python package into a folder.

pip brings the archive through whatever index the user's pip is set to. Nothing is unpacked unless the archive's sha256
agrees, and nothing is done where the parts were unpacked from that archive before.
"""
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile


class Sources:
    def __init__(self, package, version, sha256, parts, into, without):
        """parts: what to unpack, relative to the archive's only folder. without: what a user can do who has no index."""
        self.name = f"{package}-{version}"
        self.package, self.version, self.sha256 = package, version, sha256
        self.parts, self.into, self.without = parts, pathlib.Path(into), without
        self.stamp = self.into / "unpacked.sha256"

    def fetch(self):
        if self.stamp.is_file() and self.stamp.read_text().strip() == self.sha256:
            return
        with tempfile.TemporaryDirectory() as scratch:
            self.unpack(self.download(pathlib.Path(scratch)))

    def download(self, folder):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check",
                   "--no-binary", self.package, f"{self.package}=={self.version}", "--dest", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True)
        archive = folder / f"{self.name}.tar.gz"
        # pip prepares the package's metadata after the download; a failure there is none for us.
        if not archive.is_file():
            sys.exit(f"{self.into.name}: pip could not download {self.package} {self.version}:\n{done.stderr.strip()}\n"
                     f"{self.without}")
        return archive

    def unpack(self, archive):
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != self.sha256:
            sys.exit(f"{self.into.name}: {archive.name} has sha256 {found}, expected {self.sha256}; nothing was unpacked")
        with tempfile.TemporaryDirectory(dir=self.into) as scratch:
            with tarfile.open(archive) as tar:
                tar.extractall(scratch, members=[member for member in tar.getmembers() if self.is_wanted(member.name)])
            for part in self.parts:
                target = self.into / pathlib.PurePosixPath(part).name
                shutil.rmtree(target, ignore_errors=True)
                shutil.move(f"{scratch}/{self.name}/{part}", target)
        self.stamp.write_text(self.sha256 + "\n")

    def is_wanted(self, name):
        return any(name == f"{self.name}/{part}" or name.startswith(f"{self.name}/{part}/") for part in self.parts)
