"""Real work through raw gRPC from Python, against references in plain Python.

A sum, difference or product of two float32 values, computed in double and rounded once by an array of type "f", is what
float32 hardware gives.
"""

import array
import unittest

import daemon
from daemon import DaemonTestCase, example, f32, u32
from graphd.v1 import execution_pb2, graph_pb2

EXECUTORS = (execution_pb2.EXECUTOR_CUDA_GRAPH, execution_pb2.EXECUTOR_SEQUENTIAL)


def floats(values):
    return array.array("f", values)


def grid(count, scale=1024.0):
    """Floats of few bits, so that double arithmetic on them is exact; both signs, no pattern of small period."""
    return floats(((i * 7919) % 8191 - 4095) / scale for i in range(count))


class WorkloadsTest(DaemonTestCase):

    def check(self, graph, inputs, expected, parameters=None, options=None):
        """Both executors give the expected arrays, bit for bit."""
        for executor in EXECUTORS:
            outputs = self.daemon.replay(graph, inputs, parameters, executor=executor, options=options)
            self.assertEqual(sorted(outputs), sorted(expected))
            for name, values in expected.items():
                found = array.array(values.typecode, outputs[name])
                if found != values or found.tobytes() != values.tobytes():
                    index = next((i for i in range(len(values)) if found[i] != values[i]), None)
                    self.fail(f"{name}[{index}] is {found[index]}, expected {values[index]} (executor {executor})")

    def test_relu_and_scale_of_a_million_floats(self):
        digest = self.daemon.submit(example("relu_scale"), "relu_scale").digest
        x = grid(1048576, 997.0)
        expected = floats(0.5 * v if v > 0 else 0.0 for v in x)
        self.check("relu_scale", {"x": x}, {"y": expected})
        expected = floats(-1.25 * v if v > 0 else -0.0 for v in x)
        self.check(digest, {"x": x}, {"y": expected}, {"a": f32(-1.25)})
        unfused = graph_pb2.CompileOptions(skip_passes=["fuse-kernels"])
        self.check(digest, {"x": x}, {"y": expected}, {"a": f32(-1.25)}, unfused)

    def test_relu_and_scale_fuse_into_one_kernel_without_memory_between(self):
        digest = self.daemon.submit(example("relu_scale")).digest
        plan = self.daemon.graphs.ExplainGraph(graph_pb2.ExplainGraphRequest(graph=digest))
        kernels = [s for s in plan.steps if s.kind == graph_pb2.PlanStep.KIND_KERNEL]
        self.assertEqual([sorted(k.nodes) for k in kernels], [["relu", "scale"]])
        self.assertEqual([s.kind for s in plan.steps].count(graph_pb2.PlanStep.KIND_MEMCPY), 2)
        self.assertEqual(plan.streams, 1)
        self.assertNotIn("t", [b.name for b in plan.buffers])
        self.assertIn("element-wise", " ".join(f.reason for f in plan.fusions if f.fused))

    def test_saxpy_with_run_time_parameters_from_source_and_from_ptx(self):
        x = grid(1000003)
        y = grid(1000003, 512.0)
        for name in ("saxpy", "saxpy_ptx"):
            digest = self.daemon.submit(example(name)).digest
            for a, blocks in ((2.0, 64), (-0.375, 1), (3.0, 4096)):
                expected = floats(a * p + q for p, q in zip(x, y))
                self.check(digest, {"x": x, "y": y}, {"z": expected}, {"a": f32(a), "blocks": u32(blocks)})

    def test_a_fork_join_on_four_streams(self):
        digest = self.daemon.submit(example("fork_join")).digest
        x = floats((i % 1000) / 1000.0 for i in range(65536))
        value = floats([0.0])

        def rounded(number):
            value[0] = number
            return value[0]

        def branch(start, rate):
            result = start
            for _ in range(32):
                result = rounded(rounded(rate * result) * rounded(1.0 - result))
            return result

        table = {}
        for start in set(x):
            total = 0.0
            for number in range(16):
                total = rounded(total + branch(start, 3.5 + number / 64))
            table[start] = total
        expected = floats(table[v] for v in x)
        self.check(digest, {"x": x}, {"sum": expected}, options=graph_pb2.CompileOptions(streams=4))
        plan = self.daemon.graphs.ExplainGraph(graph_pb2.ExplainGraphRequest(
            graph=digest, options=graph_pb2.CompileOptions(streams=4)))
        self.assertEqual(plan.streams, 4)
        self.assertEqual(len({s.stream for s in plan.steps if s.kind == graph_pb2.PlanStep.KIND_KERNEL}), 4)

    def test_fills_and_copies_of_rows(self):
        digest = self.daemon.submit(example("fill_copy_2d")).digest
        image = array.array("B", ((7 * i + 3) % 251 for i in range(60 * 100)))
        canvas = array.array("B", b"\xaa" * (64 * 112))
        for row in range(60):
            start = (row + 1) * 112 + 6
            canvas[start:start + 100] = image[row * 100:(row + 1) * 100]
        for row in (61, 62):
            start = row * 112 + 8
            canvas[start:start + 80] = array.array("B", b"\x04\x03\x02\x01" * 20)
        middle = array.array("B")
        for row in range(17, 47):
            middle.extend(canvas[row * 112 + 31:row * 112 + 81])
        self.check(digest, {"image": image}, {"framed": canvas, "middle": middle})

    def test_a_struct_argument_that_holds_pointers(self):
        digest = self.daemon.submit(example("struct_argument")).digest
        x = grid(10000)
        self.check(digest, {"x": x}, {"y": floats(1.5 * v + 0.25 for v in x)})

    def test_a_module_counter_starts_afresh_each_run(self):
        digest = self.daemon.submit(example("module_counter")).digest
        for factor in (1, -3):
            x = floats(factor * v for v in grid(5000))
            positive = sum(v > 0 for v in x)
            self.check(digest, {"x": x}, {"once": array.array("I", [100 + positive]),
                                          "twice": array.array("I", [100 + 2 * positive])})

    def test_a_stencil_of_forty_sweeps_between_two_buffers(self):
        digest = self.daemon.submit(example("stencil")).digest
        width, height = 256, 192
        even = grid(width * height)
        odd = grid(width * height, 512.0)
        buffers = [floats(even), floats(odd)]
        rounded = floats([0.0] * 3)
        for sweep in range(40):
            source, target = buffers[sweep % 2], buffers[(sweep + 1) % 2]
            for row in range(1, height - 1):
                for i in range(row * width + 1, (row + 1) * width - 1):
                    rounded[0] = source[i - width] + source[i + width]
                    rounded[1] = source[i - 1] + source[i + 1]
                    rounded[2] = rounded[0] + rounded[1]
                    # Products with powers of two are exact.
                    target[i] = 0.5 * source[i] + 0.125 * rounded[2]
        self.check(digest, {"even": even, "odd": odd}, {"result": buffers[0]})

    def test_copies_and_order_written_out(self):
        digest = self.daemon.submit(example("explicit_copies")).digest
        x = array.array("i", (i * 31 - 60000 for i in range(4096)))
        self.check(digest, {"x": x}, {"y": array.array("i", (-v for v in x))})

    def test_many_executions_in_one_call_restore_inputs_that_nodes_write(self):
        digest = self.daemon.submit(example("stencil")).digest
        even, odd = grid(256 * 192), grid(256 * 192, 512.0)
        once = self.daemon.replay(digest, {"even": even, "odd": odd})
        thrice = self.daemon.replay(digest, {"even": even, "odd": odd}, count=3)
        self.assertEqual(once, thrice)

    def test_only_the_outputs_asked_for_come_back(self):
        digest = self.daemon.submit(example("fill_copy_2d")).digest
        outputs = self.daemon.replay(digest, {"image": bytes(6000)}, outputs=["middle"])
        self.assertEqual(list(outputs), ["middle"])

    def test_each_pass_switched_off_gives_the_same_bytes(self):
        digest = self.daemon.submit(example("fork_join")).digest
        x = floats((i % 777) / 777.0 for i in range(65536))
        reference = self.daemon.replay(digest, {"x": x})
        plan = self.daemon.graphs.ExplainGraph(graph_pb2.ExplainGraphRequest(graph=digest))
        names = [getattr(p, "pass") for p in plan.passes]
        self.assertIn("fuse-kernels", names)
        for name in names:
            options = graph_pb2.CompileOptions(skip_passes=[name])
            self.assertEqual(self.daemon.replay(digest, {"x": x}, options=options), reference, name)


if __name__ == "__main__":
    unittest.main()
