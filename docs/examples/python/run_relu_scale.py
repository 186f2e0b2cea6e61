"""Submits the worked example, relu -> scale, and replays it: nothing but grpcio and the generated modules.

Usage: PYTHONPATH=build/release/python /usr/bin/python3 docs/examples/python/run_relu_scale.py [ENDPOINT]

ENDPOINT is unix:/path or host:port; without it, GRAPHD_ENDPOINT, else 127.0.0.1:7600.
"""

import array
import os
import pathlib
import sys

import grpc
from google.protobuf import text_format

from graphd.v1 import execution_pb2, execution_pb2_grpc, graph_pb2, graph_pb2_grpc

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "relu_scale"
MESSAGE_BYTES = 64 << 20  # gRPC's own limit is 4 MiB, the size of this example's output


def definition():
    """graph.textproto with the source of its module put in."""
    graph = text_format.Parse((FOLDER / "graph.textproto").read_text(), graph_pb2.Graph())
    for module in graph.modules:
        if module.HasField("file"):
            module.cuda_source = (FOLDER / module.file).read_text()
    return graph


def main():
    endpoint = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("GRAPHD_ENDPOINT", "127.0.0.1:7600")
    options = [("grpc.max_receive_message_length", MESSAGE_BYTES), ("grpc.max_send_message_length", MESSAGE_BYTES)]
    with grpc.insecure_channel(endpoint, options) as channel:
        graphs = graph_pb2_grpc.GraphServiceStub(channel)
        execution = execution_pb2_grpc.ExecutionServiceStub(channel)

        stored = graphs.SubmitGraph(graph_pb2.SubmitGraphRequest(graph=definition(), name="relu_scale"))
        print(f"stored {stored.digest} as relu_scale@{stored.revision}")

        x = array.array("f", ((i % 2001 - 1000) / 1000 for i in range(1048576)))
        a = graph_pb2.Scalar(type=graph_pb2.SCALAR_TYPE_F32, float_value=0.5)
        answer = execution.Replay(execution_pb2.ReplayRequest(
            graph=stored.digest,
            inputs={"x": execution_pb2.Tensor(data=x.tobytes())},
            parameters={"a": a}))
        y = array.array("f", answer.outputs["y"].data)
        print(f"ran on {answer.device}: x {x[:3].tolist()} ... {x[-1]}, y {y[:3].tolist()} ... {y[-1]}")

        # A product of two float32 values is exact in double; the array rounds it once, as the kernel does.
        expected = array.array("f", (0.5 * v if v > 0.0 else 0.0 for v in x))
        if y != expected:
            raise SystemExit("wrong answer")
        print(f"right: all {len(y):,} values")


if __name__ == "__main__":
    main()
