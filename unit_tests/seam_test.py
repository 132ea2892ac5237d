"""The house's floors: the dispatch headers alone ask which backends Kokkos has, and includes run downwards."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop())
SOURCES = ROOT / "src"
ASKS_FOR_BACKEND = re.compile(
    r"#\s*(if|ifdef|ifndef|elif).*(KOKKOS_ENABLE_(CUDA|HIP|SYCL|OPENMP|SERIAL|THREADS)|TERRACE_(TUNED|GENERIC)_)")
VENDOR_TYPE = re.compile(r"\b(cuda[A-Z]\w+|cublas\w+|cusparse\w+|__global__|__shared__)\b")
INCLUDE = re.compile(r'#include "([^"]+)"')

# What each folder may include besides itself and the public headers. The dispatch headers are "dispatch". Those that say
# what is known of the backends, and what their runtimes do beside running kernels, lie below everything, since every
# allocation asks them.
FACTS = ("rounding.hpp", "runtime.hpp", "tuned.hpp", "waiting.hpp")
BELOW = {
    "parallel": {"runtime"},
    "runtime": {"parallel", "backends"},
    "sparse": {"parallel"},
    "io": set(),
    "algorithms": {"sparse", "parallel", "runtime"},
    "backends": {"algorithms", "sparse", "parallel", "runtime"},
    "dispatch": {"backends", "algorithms", "sparse", "parallel", "runtime"},
    "solvers": {"dispatch", "algorithms", "sparse", "parallel", "runtime"},
}


def sources(folder):
    return sorted(p for p in (SOURCES / folder).rglob("*") if p.suffix in (".hpp", ".cpp", ".cu"))


def floor_of(path):
    parts = pathlib.PurePath(path).parts
    if parts[0] == "backends" and parts[1] in FACTS:
        return "runtime"
    return "dispatch" if parts[0] == "backends" and len(parts) == 2 else parts[0]


class House(unittest.TestCase):
    def test_only_dispatch_headers_ask_for_a_backend(self):
        asking = [p.relative_to(SOURCES) for p in sources(".") if ASKS_FOR_BACKEND.search(p.read_text())]
        self.assertGreater(len(asking), 0)
        for path in asking:
            self.assertIn(floor_of(path), ("dispatch", "runtime"), path)

    def test_generic_code_names_no_vendor_type(self):
        for folder in ("parallel", "sparse", "algorithms", "solvers", "include", "io"):
            for path in sources(folder):
                self.assertIsNone(VENDOR_TYPE.search(path.read_text()), path)

    def test_public_headers_ask_nothing(self):
        for path in sources("include"):
            self.assertIsNone(re.search(r"^\s*#\s*if", path.read_text(), re.M), path)

    def test_includes_run_downwards(self):
        for folder in ("parallel", "sparse", "io", "algorithms", "backends", "solvers"):
            for path in sources(folder):
                floor = floor_of(path.relative_to(SOURCES))
                for included in INCLUDE.findall(path.read_text()):
                    if (SOURCES / included).exists():
                        below = floor_of(included)
                        self.assertTrue(below == floor or below in BELOW[floor], f"{path} includes {included}")


if __name__ == "__main__":
    unittest.main()
