"""A graphd of one's own for tests in Python: started on temporary folders, stopped and checked at the end.

ctest sets GRAPHD_BINARY_DIR; the generated modules lie below it.
"""

import array
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(os.environ["GRAPHD_BINARY_DIR"])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "docs" / "examples"
MESSAGE_BYTES = 64 << 20
START_LIMIT_S = 60
STOP_LIMIT_S = 60
sys.path.insert(0, str(BUILD / "python"))

import grpc  # noqa: E402: the path comes first

grpc.__path__.append(str(BUILD / "python" / "grpc"))  # grpcio's own package lacks grpc.health

from google.protobuf import text_format  # noqa: E402
from google.rpc import error_details_pb2, status_pb2  # noqa: E402
from graphd.v1 import device_pb2_grpc, execution_pb2, execution_pb2_grpc, graph_pb2, graph_pb2_grpc  # noqa: E402
from grpc.health.v1 import health_pb2, health_pb2_grpc  # noqa: E402


class Daemon:
    """Serves on a Unix socket and a free loopback port."""

    def __init__(self, *flags):
        self.folder = tempfile.TemporaryDirectory(prefix="graphd-test.")
        root = pathlib.Path(self.folder.name)
        self.endpoint = f"unix:{root / 'graphd.sock'}"
        self.log = root / "log"
        ready = root / "ready.json"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [BUILD / "bin" / "graphd", "--listen", self.endpoint, "--listen", "127.0.0.1:0",
                 "--state", root / "state", "--ready-file", ready, "--soft-devices", "1", *flags],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        limit = time.monotonic() + START_LIMIT_S
        while not ready.exists():
            if self.process.poll() is not None or time.monotonic() > limit:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"graphd did not start:\n{self.log.read_text()}")
            time.sleep(0.01)
        self.addresses = json.loads(ready.read_text())["addresses"]
        options = [("grpc.max_receive_message_length", MESSAGE_BYTES),
                   ("grpc.max_send_message_length", MESSAGE_BYTES)]
        self.channel = grpc.insecure_channel(self.endpoint, options)
        self.graphs = graph_pb2_grpc.GraphServiceStub(self.channel)
        self.execution = execution_pb2_grpc.ExecutionServiceStub(self.channel)
        self.devices = device_pb2_grpc.DeviceServiceStub(self.channel)
        self.health = health_pb2_grpc.HealthStub(self.channel)

    def stop(self):
        """SIGTERM; returns the exit code."""
        self.channel.close()
        self.process.terminate()
        try:
            code = self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"graphd did not stop:\n{self.log.read_text()}")
        finally:
            self.folder.cleanup()
        return code

    def submit(self, graph, name=""):
        return self.graphs.SubmitGraph(graph_pb2.SubmitGraphRequest(graph=graph, name=name))

    def replay(self, graph, inputs=None, parameters=None, **fields):
        """Inputs as bytes, parameters as Scalars; outputs come back as bytes."""
        tensors = {name: execution_pb2.Tensor(data=bytes(data)) for name, data in (inputs or {}).items()}
        response = self.execution.Replay(execution_pb2.ReplayRequest(
            graph=graph, inputs=tensors, parameters=parameters or {}, **fields))
        return {name: tensor.data for name, tensor in response.outputs.items()}

    def patient_replay(self, *arguments):
        """As replay, but does what UNAVAILABLE asks for: waits and tries again."""
        limit = time.monotonic() + START_LIMIT_S
        while True:
            try:
                return self.replay(*arguments)
            except grpc.RpcError as error:
                if error.code() != grpc.StatusCode.UNAVAILABLE or time.monotonic() > limit:
                    raise
                retry = details(error, error_details_pb2.RetryInfo)
                time.sleep(retry.retry_delay.ToTimedelta().total_seconds() if retry else 0.1)


class DaemonTestCase(unittest.TestCase):
    """Tests that share one daemon, which must end with exit code 0."""

    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(*cls.flags)

    @classmethod
    def tearDownClass(cls):
        code = cls.daemon.stop()
        if code != 0:
            raise AssertionError(f"graphd ended with exit code {code}")


def example(name):
    """The definition of an example, with its module files put in."""
    folder = EXAMPLES / name
    graph = text_format.Parse((folder / "graph.textproto").read_text(), graph_pb2.Graph())
    for module in graph.modules:
        if module.HasField("file"):
            text = (folder / module.file).read_text()
            if module.file.endswith(".ptx"):
                module.ptx = text
            else:
                module.cuda_source = text
    return graph


def f32(value):
    return graph_pb2.Scalar(type=graph_pb2.SCALAR_TYPE_F32, float_value=value)


def u32(value):
    return graph_pb2.Scalar(type=graph_pb2.SCALAR_TYPE_U32, uint_value=value)


def details(error, kind):
    """The first detail of that type that came with a grpc.RpcError; None when there is none."""
    for key, value in error.trailing_metadata():
        if key == "grpc-status-details-bin":
            for detail in status_pb2.Status.FromString(value).details:
                message = kind()
                if detail.Unpack(message):
                    return message
    return None


def violations(error):
    """Field -> description of the findings that came with an error."""
    bad = details(error, error_details_pb2.BadRequest)
    return {v.field: v.description for v in bad.field_violations} if bad else {}


def f32_bytes(values):
    return array.array("f", values).tobytes()
