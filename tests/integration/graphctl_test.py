"""graphctl against a real daemon: the worked example from end to end, exit codes, formats."""

import array
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import daemon
from daemon import BUILD, EXAMPLES, DaemonTestCase

NPY_DATA = 128  # where a header of one dimension ends


class GraphctlTest(DaemonTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scratch = tempfile.TemporaryDirectory(prefix="graphd-graphctl.")
        cls.folder = pathlib.Path(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()
        super().tearDownClass()

    def graphctl(self, *arguments, code=0, **options):
        """Runs it; returns standard output as text after checking the exit code."""
        environment = dict(os.environ, GRAPHD_ENDPOINT=self.daemon.endpoint)
        run = subprocess.run([BUILD / "bin" / "graphctl", *map(str, arguments)], env=environment,
                             capture_output=True, **options)
        self.stderr = run.stderr.decode()
        self.assertEqual(run.returncode, code, f"{arguments}: {self.stderr}")
        return run.stdout if options.get("input") is not None else run.stdout.decode()

    def apply(self, name):
        return self.graphctl("apply", EXAMPLES / name / "graph.textproto", "--name", name, "-o", "name").strip()

    def test_the_worked_example_from_end_to_end(self):
        x, y = self.folder / "x.npy", self.folder / "y.npy"
        self.graphctl("tensor", "random", "--shape", 1048576, "--dtype", "f32", "--low", -1, "--high", 1,
                      "--seed", 1, "-o", x)
        stored = self.graphctl("apply", EXAMPLES / "relu_scale" / "graph.textproto", "--name", "relu_scale")
        self.assertRegex(stored, r"^relu_scale@1 sha256:[0-9a-f]{64} stored\n$")
        self.graphctl("run", "relu_scale", "--in", f"x={x}", "--set", "a=0.5", "--out", f"y={y}")
        for word in ("queue", "compile", "copy in", "execute", "copy out", "cuda_graph"):
            self.assertIn(word, self.stderr)
        values = array.array("f", x.read_bytes()[NPY_DATA:])
        self.assertEqual(len(values), 1048576)
        expected = array.array("f", (0.5 * v if v > 0 else 0.0 for v in values))
        self.assertEqual(y.read_bytes()[NPY_DATA:], expected.tobytes())

        sequential = self.folder / "sequential.npy"
        self.graphctl("run", "relu_scale@1", "--in", f"x={x}", "--out", f"y={sequential}", "--count", 3,
                      "--executor", "sequential", "--skip-pass", "fuse-kernels", "--streams", 2, "--device", "soft0")
        self.assertIn("ran 3 times on soft0 (sequential)", self.stderr)
        self.assertTrue(self.graphctl("tensor", "diff", y, sequential).startswith("equal"))

        streamed = self.graphctl("run", "relu_scale", "--in", "x=-", "--out", "y=-", input=x.read_bytes())
        self.assertEqual(streamed, y.read_bytes())

        text = self.graphctl("explain", "relu_scale")
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        self.assertIn("fused: relu + scale", text)
        self.assertIn("1 stream", text)
        plan = json.loads(self.graphctl("explain", "relu_scale", "-o", "json"))
        self.assertEqual([s["kind"] for s in plan["steps"]], ["KIND_MEMCPY", "KIND_KERNEL", "KIND_MEMCPY"])
        self.assertTrue(self.graphctl("explain", "relu_scale", "-o", "dot").startswith("digraph plan {"))
        apart = json.loads(self.graphctl("explain", "relu_scale", "--skip-pass", "fuse-kernels", "-o", "json"))
        self.assertEqual([s["kind"] for s in apart["steps"]].count("KIND_KERNEL"), 2)
        self.assertIn("after fuse-kernels", self.graphctl("explain", "relu_scale", "--passes"))

    def test_a_dry_run_stores_nothing(self):
        out = self.graphctl("apply", EXAMPLES / "matmul" / "graph.textproto", "--name", "dry", "--dry-run")
        self.assertIn("not stored", out)
        self.graphctl("get", "graph", "dry", code=69)

    def test_graphs_are_listed_described_and_deleted(self):
        reference = self.apply("struct_argument")
        self.assertEqual(reference, "struct_argument@1")
        record = json.loads(self.graphctl("get", "graph", reference, "-o", "json"))
        self.assertEqual(record["summary"]["inputs"], ["x"])
        self.assertIn("struct_argument", self.graphctl("get", "graphs"))
        self.assertIn(record["digest"], self.graphctl("get", "graphs", "-o", "wide"))
        self.assertIn("struct_argument@1", self.graphctl("get", "graphs", "-o", "name").split())
        description = self.graphctl("describe", "graph", record["digest"])
        self.assertIn("x       input   device  f32   10000  40,000", description)
        self.graphctl("delete", "graph", "struct_argument")
        self.graphctl("delete", "graph", "struct_argument", code=69)

    def test_the_same_definition_again_is_the_same_digest(self):
        first = self.graphctl("apply", EXAMPLES / "fill_copy_2d" / "graph.textproto", "-o", "name")
        again = self.graphctl("apply", EXAMPLES / "fill_copy_2d" / "graph.textproto")
        self.assertIn(f"{first.strip()} stored already", again)

    def test_devices_are_listed_and_described(self):
        device = json.loads(self.graphctl("get", "devices", "soft0", "-o", "json"))
        self.assertEqual((device["name"], device["kind"]), ("soft0", "KIND_SOFTWARE"))
        self.assertIn("soft0  software  serving", self.graphctl("get", "devices"))
        self.assertIn("process", self.graphctl("describe", "device", "soft0"))
        self.graphctl("get", "devices", "gpu9", code=69)

    def test_health_answers_for_daemon_services_and_devices(self):
        for name in ([], ["soft0"], ["graphd.v1.ExecutionService"]):
            self.assertIn("is serving", self.graphctl("health", *name))
        self.graphctl("health", "nobody", code=69)

    def test_inspect_shows_what_a_kernel_reaches(self):
        text = self.graphctl("inspect", EXAMPLES / "relu_scale" / "kernels.cu")
        self.assertIn("relu(float const*, float*, int)", text)
        self.assertIn("element-wise: yes", text)
        files = json.loads(self.graphctl("inspect", EXAMPLES / "saxpy_ptx" / "saxpy.ptx",
                                         EXAMPLES / "matmul" / "matmul.cu", "-o", "json"))["files"]
        self.assertEqual([len(f["kernels"]) for f in files], [1, 1])
        self.assertEqual([p["type"] for p in files[0]["kernels"][0]["parameters"]],
                         ["u64", "u64", "u64", "f32", "u32"])
        self.assertFalse(files[1]["kernels"][0]["elementwise"])
        self.assertTrue(all(f["runs"] for f in files))

    def test_inspect_says_no_to_what_cannot_run(self):
        wrong = self.folder / "wrong.cu"
        wrong.write_text("__global__ void broken( { }")
        self.assertIn("cannot run", self.graphctl("inspect", wrong, code=1))
        odd = self.folder / "odd.ptx"
        odd.write_text(".version 7.0\n.target sm_75\n.address_size 64\n"
                       ".visible .entry odd()\n{\n  frobnicate.b32;\n  ret;\n}\n")
        self.assertIn("software GPU: no, line 6: frobnicate.b32", self.graphctl("inspect", odd, code=1))

    def test_every_finding_is_printed_with_its_path(self):
        graph = self.folder / "wrong.textproto"
        graph.write_text('nodes { name: "a" memset { buffer: "k" width: 0 } after: "b" }')
        self.graphctl("apply", graph, code=67)
        self.assertTrue(self.stderr.startswith("error: INVALID_ARGUMENT: "))
        self.assertIn("\n  nodes[0].after[0]: ", self.stderr)
        self.assertIn("\n  nodes[0].buffer: unknown buffer \"k\"", self.stderr)

    def test_wrong_bindings_say_what_was_expected(self):
        self.apply("relu_scale")
        self.graphctl("run", "relu_scale", code=67)
        self.assertIn("inputs[\"x\"]: missing: expected 4194304 bytes", self.stderr)
        short = self.folder / "short.npy"
        self.graphctl("tensor", "random", "--shape", 4, "--dtype", "s32", "-o", short)
        self.graphctl("run", "relu_scale", "--in", f"x={short}", code=67)
        self.assertIn("expected elements of type f32, found s32", self.stderr)
        self.graphctl("run", "relu_scale", "--set", "b=1", code=2)
        self.graphctl("run", "nobody", code=69)

    def test_a_daemon_that_is_not_there_is_unavailable(self):
        self.graphctl("get", "devices", "--endpoint", f"unix:{self.folder}/nobody.sock", code=78)
        self.assertIn("hint: start graphd", self.stderr)


if __name__ == "__main__":
    unittest.main()
