"""graphd links no PTX, passes, executors, driver or software GPU: nothing hostile runs inside it."""

import subprocess
import sys
import unittest

FORBIDDEN = ("graphd::ptx::", "graphd::softgpu::", "graphd::CompileGraph(", "graphd::Device::Open(",
             "graphd::LibcudaDriver(", "nvrtcCompileProgram")


class ProgramsTest(unittest.TestCase):
    binaries = None
    processes = ()  # the worker and the compiler, where they are built

    def symbols(self, program):
        run = subprocess.run(["nm", "-C", f"{self.binaries}/{program}"], check=True, capture_output=True, text=True)
        return run.stdout

    def test_the_daemon_has_no_compiler_or_driver_inside(self):
        symbols = self.symbols("graphd")
        self.assertIn("graphd::", symbols)
        self.assertEqual([f for f in FORBIDDEN if f in symbols], [])

    def test_the_worker_and_the_compiler_have_no_store_or_services_inside(self):
        for program in self.processes:
            symbols = self.symbols(program)
            self.assertEqual([f for f in ("sqlite3_open", "grpc::ServerBuilder") if f in symbols], [], program)


if __name__ == "__main__":
    ProgramsTest.binaries, *ProgramsTest.processes = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
