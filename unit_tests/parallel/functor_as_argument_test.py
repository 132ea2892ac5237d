"""Kernels that are only enqueued take their functors as arguments (src/parallel/functor_as_argument.hpp).

Looks at what is compiled: Kokkos names a kernel after the way its functor travels, and constant memory makes the host
wait. Needs no GPU.
"""
import pathlib
import subprocess
import sys
import unittest

LIBRARY = pathlib.Path(sys.argv.pop())
KERNELS = "cuda_parallel_launch_local_memory"
WAITING_KERNELS = ("cuda_parallel_launch_constant_memory", "cuda_parallel_launch_global_memory")


def symbols():
    return subprocess.run(["nm", LIBRARY], capture_output=True, text=True, check=True).stdout.splitlines()


def demangled(names):
    return subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout


class FunctorAsArgument(unittest.TestCase):
    def test_no_kernel_waits_for_constant_or_global_memory(self):
        names = {name for line in symbols() for name in line.split()[-1:]}
        self.assertTrue(any(KERNELS in name for name in names), "the library has no kernels of Kokkos for CUDA")
        waiting = sorted(name for name in names if any(kind in name for kind in WAITING_KERNELS))
        self.assertEqual(waiting, [], demangled(waiting))


if __name__ == "__main__":
    unittest.main()
