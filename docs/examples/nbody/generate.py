#!/usr/bin/env python3
"""Writes graph.textproto: 2,048 bodies, 3 steps of two kernels, then copies out."""

import pathlib

BODIES, STEPS, BLOCK = 2048, 3, 256

HEAD = f"""# proto-file: graphd/v1/graph.proto
# proto-message: graphd.v1.Graph
# Written by generate.py.
description: "gravity among {BODIES} bodies, {STEPS} steps; bodies are x, y, z, mass"

buffers {{ name: "bodies"       role: ROLE_INPUT     element_type: SCALAR_TYPE_F32 shape: {BODIES} shape: 4 }}
buffers {{ name: "velocity"     role: ROLE_INPUT     element_type: SCALAR_TYPE_F32 shape: {BODIES} shape: 4 }}
buffers {{ name: "acceleration" role: ROLE_TRANSIENT element_type: SCALAR_TYPE_F32 shape: {BODIES} shape: 4 }}
buffers {{ name: "moved"        role: ROLE_OUTPUT    element_type: SCALAR_TYPE_F32 shape: {BODIES} shape: 4 }}
buffers {{ name: "speed"        role: ROLE_OUTPUT    element_type: SCALAR_TYPE_F32 shape: {BODIES} shape: 4 }}

modules {{ name: "nbody" file: "nbody.cu" }}

parameters {{
  name: "dt"
  type: SCALAR_TYPE_F32
  default_value {{ type: SCALAR_TYPE_F32 float_value: 0.01 }}
  minimum {{ type: SCALAR_TYPE_F32 float_value: 0 }}
  maximum {{ type: SCALAR_TYPE_F32 float_value: 1 }}
}}

"""

STEP = """nodes {{
  name: "attract{step}"
  kernel {{
    module: "nbody" function: "attract"
    grid {{ value: {grid} }} block {{ value: {block} }}
    args {{ buffer {{ name: "bodies" }} }}
    args {{ buffer {{ name: "acceleration" }} }}
    args {{ scalar {{ type: SCALAR_TYPE_S32 int_value: {bodies} }} }}
  }}
}}
nodes {{
  name: "advance{step}"
  kernel {{
    module: "nbody" function: "advance"
    grid {{ value: {grid} }} block {{ value: {block} }}
    args {{ buffer {{ name: "bodies" }} }}
    args {{ buffer {{ name: "velocity" }} }}
    args {{ buffer {{ name: "acceleration" }} }}
    args {{ parameter: "dt" }}
    args {{ scalar {{ type: SCALAR_TYPE_S32 int_value: {bodies} }} }}
  }}
}}
"""

COPY = """nodes {{
  name: "copy_{target}"
  memcpy {{ src {{ buffer: "{source}" }} dst {{ buffer: "{target}" }} width_bytes: {bytes} }}
}}
"""


def graph():
    text = HEAD
    for step in range(STEPS):
        text += STEP.format(step=step, grid=BODIES // BLOCK, block=BLOCK, bodies=BODIES)
    for source, target in (("bodies", "moved"), ("velocity", "speed")):
        text += COPY.format(source=source, target=target, bytes=BODIES * 16)
    return text


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("graph.textproto").write_text(graph())
