"""Each kind of bad input gets its own clear error, and the daemon serves as before."""

import unittest

import daemon
import grpc
from daemon import DaemonTestCase, details, example, f32, violations
from google.rpc import error_details_pb2
from graphd.v1 import execution_pb2, graph_pb2

INVALID = grpc.StatusCode.INVALID_ARGUMENT

ADD_ONE = """
extern "C" __global__ void add_one(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1.0f;
}
"""


def add_one(source=ADD_ONE):
    """y = x + 1 over 64 floats: right as it is; each test spoils it in one way."""
    graph = graph_pb2.Graph()
    graph.buffers.add(name="x", role=graph_pb2.Buffer.ROLE_INPUT, element_type=graph_pb2.SCALAR_TYPE_F32, shape=[64])
    graph.buffers.add(name="y", role=graph_pb2.Buffer.ROLE_OUTPUT, element_type=graph_pb2.SCALAR_TYPE_F32, shape=[64])
    graph.modules.add(name="m", cuda_source=source)
    kernel = graph.nodes.add(name="add").kernel
    kernel.module = "m"
    kernel.function = "add_one"
    kernel.grid.add(value=1)
    kernel.block.add(value=64)
    kernel.args.add().buffer.name = "x"
    kernel.args.add().buffer.name = "y"
    kernel.args.add().scalar.CopyFrom(graph_pb2.Scalar(type=graph_pb2.SCALAR_TYPE_S32, int_value=64))
    return graph


class BadInputTest(DaemonTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.digest = cls.daemon.submit(add_one(), "good").digest
        cls.pid = cls.daemon.process.pid

    def tearDown(self):
        """Whatever the test did, the daemon is the same process and answers right."""
        self.assertIsNone(self.daemon.process.poll(), self.daemon.log.read_text())
        x = daemon.f32_bytes([float(i) for i in range(64)])
        y = daemon.f32_bytes([i + 1.0 for i in range(64)])
        self.assertEqual(self.daemon.patient_replay(self.digest, {"x": x})["y"], y)

    def refused(self, call, code, *words):
        """The call fails with this code and a message that holds each word; returns the error."""
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        error = caught.exception
        self.assertEqual(error.code(), code, error.details())
        for word in words:
            self.assertIn(word, error.details())
        return error

    def submit_refused(self, graph, path, *words):
        error = self.refused(lambda: self.daemon.submit(graph, "bad"), INVALID, *words)
        found = violations(error)
        self.assertTrue(any(field.startswith(path) for field in found), f"{path} is not in {found}")
        self.refused(lambda: self.daemon.graphs.GetGraph(graph_pb2.GetGraphRequest(graph="bad")),
                     grpc.StatusCode.NOT_FOUND)
        return found

    def test_a_graph_that_is_empty(self):
        self.submit_refused(graph_pb2.Graph(), "nodes", "a graph has a node")

    def test_malformed_ptx_with_its_line(self):
        graph = add_one()
        graph.modules[0].ptx = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry add_one( {\n}\n"
        self.submit_refused(graph, "modules[0]", "line 4")

    def test_ptx_that_parses_but_is_wrong(self):
        graph = add_one()
        graph.modules[0].ptx = (".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry add_one()\n{\n"
                                "  add.s32 %r1, %r2, 1;\n  ret;\n}\n")
        self.submit_refused(graph, "modules[0]", "%r1")

    def test_source_that_does_not_compile_with_its_log(self):
        graph = add_one(ADD_ONE.replace("in[i] + 1.0f", "inn[i] + 1.0f"))
        self.submit_refused(graph, "modules[0]", "inn", "error")

    def test_an_unknown_function_with_those_that_exist(self):
        graph = add_one()
        graph.nodes[0].kernel.function = "add_two"
        self.submit_refused(graph, "nodes[0]", "add_two", "add_one")

    def test_a_wrong_number_of_arguments(self):
        graph = add_one()
        del graph.nodes[0].kernel.args[2]
        self.submit_refused(graph, "nodes[0]", "2", "3")

    def test_an_argument_of_a_wrong_size(self):
        graph = add_one()
        graph.nodes[0].kernel.args[2].scalar.CopyFrom(
            graph_pb2.Scalar(type=graph_pb2.SCALAR_TYPE_S64, int_value=64))
        self.submit_refused(graph, "nodes[0].args[2]", "8", "4")

    def test_a_buffer_that_is_not_aligned(self):
        graph = add_one()
        graph.nodes[0].kernel.args[0].buffer.offset_bytes = 2
        self.submit_refused(graph, "nodes[0].args[0]", "multiple of 4")

    def test_accesses_out_of_range(self):
        graph = add_one()
        graph.nodes.add(name="copy").memcpy.CopyFrom(graph_pb2.MemcpyNode(
            src=graph_pb2.CopyEnd(buffer="x", offset_bytes=252), dst=graph_pb2.CopyEnd(buffer="y"), width_bytes=8))
        self.submit_refused(graph, "nodes[1]", "252..259", "256 bytes")

    def test_a_cycle(self):
        graph = add_one()
        graph.nodes.add(name="empty", after=["add"]).empty.SetInParent()
        graph.nodes[0].after.append("empty")
        self.submit_refused(graph, "nodes[0].after", "cycle", "add", "empty")

    def test_a_race_under_explicit_order(self):
        graph = add_one()
        graph.order = graph_pb2.Graph.ORDER_EXPLICIT
        graph.nodes.add(name="fill").memset.CopyFrom(graph_pb2.MemsetNode(buffer="y", width=256))
        graph.nodes.add(name="refill").memset.CopyFrom(graph_pb2.MemsetNode(buffer="y", width=256, pattern=1))
        self.submit_refused(graph, "nodes", "race", "fill", "refill", "y")

    def test_zero_and_huge_launch_shapes(self):
        graph = add_one()
        graph.nodes[0].kernel.grid[0].value = 0
        self.submit_refused(graph, "nodes[0].grid[0]", "at least 1")
        graph.nodes[0].kernel.grid[0].value = 4294967295
        graph.nodes[0].kernel.block[0].value = 2048
        found = self.submit_refused(graph, "nodes[0].block[0]", "1024", "2147483647")
        self.assertEqual(len(found), 2)

    def test_unknown_names_all_in_one_answer(self):
        graph = add_one()
        graph.nodes[0].kernel.args[0].buffer.name = "xx"
        graph.nodes[0].kernel.module = "mm"
        graph.nodes[0].after.append("nobody")
        found = self.submit_refused(graph, "nodes[0]", "\"xx\"", "\"mm\"", "\"nobody\"")
        self.assertGreaterEqual(len(found), 3)

    def test_an_unknown_instruction_by_name(self):
        graph = add_one()
        graph.modules[0].ptx = (".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry add_one()\n{\n"
                                "  frobnicate.sync.b32;\n  ret;\n}\n")
        del graph.nodes[0].kernel.args[:]
        graph.nodes.add(name="fill").memset.CopyFrom(graph_pb2.MemsetNode(buffer="y", width=256))
        stored = self.daemon.submit(graph)
        self.assertIn("frobnicate", stored.summary.kernels[0].unsupported_in_software)
        self.refused(lambda: self.daemon.replay(stored.digest, {"x": bytes(256)}),
                     grpc.StatusCode.FAILED_PRECONDITION, "frobnicate")

    def test_missing_unknown_and_wrong_sized_inputs(self):
        error = self.refused(lambda: self.daemon.replay(self.digest, {"xx": b"1234"}), INVALID)
        self.assertEqual(violations(error), {
            'inputs["x"]': "missing: expected 256 bytes",
            'inputs["xx"]': 'no such input; the graph has "x"'})
        error = self.refused(lambda: self.daemon.replay(self.digest, {"x": bytes(252)}), INVALID)
        self.assertEqual(violations(error), {'inputs["x"]': "expected 256 bytes, found 252"})

    def test_an_input_of_another_type_or_shape(self):
        tensor = execution_pb2.Tensor(data=bytes(256), element_type=graph_pb2.SCALAR_TYPE_S32, shape=[8, 8])
        error = self.refused(lambda: self.daemon.execution.Replay(execution_pb2.ReplayRequest(
            graph=self.digest, inputs={"x": tensor})), INVALID, "f32", "s32", "[64]", "[8, 8]")
        self.assertIn('inputs["x"]', violations(error))

    def test_unknown_outputs_and_parameters(self):
        error = self.refused(
            lambda: self.daemon.replay(self.digest, {"x": bytes(256)}, {"a": f32(1.0)}, outputs=["z"]), INVALID)
        self.assertEqual(sorted(violations(error)), ["outputs[0]", 'parameters["a"]'])

    def test_a_parameter_of_another_type_or_out_of_its_range(self):
        digest = self.daemon.submit(example("saxpy")).digest
        inputs = {"x": bytes(4000012), "y": bytes(4000012)}
        self.refused(lambda: self.daemon.replay(digest, inputs, {"blocks": daemon.u32(5000)}), INVALID,
                     "at most 4096", "5000")
        self.refused(lambda: self.daemon.replay(digest, inputs, {"a": daemon.u32(1)}), INVALID, "f32", "u32")

    def test_unknown_graphs_and_devices(self):
        missing = grpc.StatusCode.NOT_FOUND
        self.refused(lambda: self.daemon.replay("nobody", {}), missing, "nobody")
        self.refused(lambda: self.daemon.replay("good@7", {}), missing, "7")
        self.refused(lambda: self.daemon.replay("sha256:" + "0" * 64, {}), missing)
        self.refused(lambda: self.daemon.replay("sha256:12", {}), INVALID)
        self.refused(lambda: self.daemon.replay(self.digest, {"x": bytes(256)}, device="gpu9"), missing, "gpu9")

    def test_an_unknown_pass(self):
        options = graph_pb2.CompileOptions(skip_passes=["fuse-kernel"])
        self.refused(lambda: self.daemon.replay(self.digest, {"x": bytes(256)}, options=options), INVALID,
                     "fuse-kernel", "fuse-kernels")

    def test_a_message_over_the_limit(self):
        self.refused(lambda: self.daemon.replay(self.digest, {"x": bytes(daemon.MESSAGE_BYTES)}),
                     grpc.StatusCode.RESOURCE_EXHAUSTED)

    def test_a_name_that_is_none(self):
        self.refused(lambda: self.daemon.submit(add_one(), "not a name"), INVALID, "not a name")

    def test_a_module_file_is_for_clients_only(self):
        graph = add_one()
        graph.modules[0].file = "/etc/passwd"
        self.submit_refused(graph, "modules[0]", "clients only")

    def test_a_kernel_out_of_bounds_names_kernel_block_and_thread(self):
        source = ADD_ONE.replace("out[i] = in[i]", "out[i + (i == 37 ? 1ll << 40 : 0)] = in[i]")
        digest = self.daemon.submit(add_one(source)).digest
        error = self.refused(lambda: self.daemon.replay(digest, {"x": bytes(256)}), grpc.StatusCode.ABORTED,
                             "add_one")
        info = details(error, error_details_pb2.ErrorInfo)
        self.assertIsNotNone(info)
        self.assertEqual(info.metadata["block"], "0,0,0")
        self.assertEqual(info.metadata["thread"], "37,0,0")
        self.assertGreater(int(info.metadata["line"]), 0)


if __name__ == "__main__":
    unittest.main()
