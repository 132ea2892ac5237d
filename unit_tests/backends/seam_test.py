"""The seam between generic and backend code is one header: no other source asks which backends Kokkos has."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop())
SEAM = ROOT / "src" / "backends" / "dispatch.hpp"
ASKS_FOR_BACKEND = re.compile(r"#\s*(if|ifdef|ifndef|elif).*KOKKOS_ENABLE_(CUDA|HIP|SYCL|OPENMP|SERIAL|THREADS)")
VENDOR_TYPE = re.compile(r"\b(cuda[A-Z]\w+|cublas\w+|cusparse\w+|__global__|__shared__)\b")


def sources(folder):
    return sorted(p for p in (ROOT / "src" / folder).rglob("*") if p.suffix in (".hpp", ".cpp"))


class Seam(unittest.TestCase):
    def test_only_the_seam_asks_for_a_backend(self):
        asking = [p for p in sources(".") if ASKS_FOR_BACKEND.search(p.read_text())]
        self.assertEqual(asking, [SEAM])

    def test_generic_code_names_no_vendor_type(self):
        for path in sources("algorithms") + sources("include") + sources("io"):
            self.assertIsNone(VENDOR_TYPE.search(path.read_text()), path)

    def test_public_headers_ask_nothing(self):
        for path in sources("include"):
            self.assertIsNone(re.search(r"^\s*#\s*if", path.read_text(), re.M), path)


if __name__ == "__main__":
    unittest.main()
