#!/usr/bin/env python3
"""Writes graph.textproto: 40 sweeps between two buffers, then a copy out.

Both buffers are inputs, because each sweep leaves the border as it finds it.
"""

import pathlib

WIDTH, HEIGHT, SWEEPS = 256, 192, 40
BLOCK = (32, 8)

HEAD = f"""# proto-file: graphd/v1/graph.proto
# proto-message: graphd.v1.Graph
# Written by generate.py.
description: "a 5-point stencil, {SWEEPS} sweeps between two initialised buffers of {HEIGHT} x {WIDTH} floats"

buffers {{ name: "even"   role: ROLE_INPUT  element_type: SCALAR_TYPE_F32 shape: {HEIGHT} shape: {WIDTH} }}
buffers {{ name: "odd"    role: ROLE_INPUT  element_type: SCALAR_TYPE_F32 shape: {HEIGHT} shape: {WIDTH} }}
buffers {{ name: "result" role: ROLE_OUTPUT element_type: SCALAR_TYPE_F32 shape: {HEIGHT} shape: {WIDTH} }}

modules {{ name: "stencil" file: "stencil.cu" }}

"""

SWEEP = """nodes {{
  name: "sweep{number}"
  kernel {{
    module: "stencil" function: "sweep"
    grid {{ value: {grid_x} }} grid {{ value: {grid_y} }}
    block {{ value: {block_x} }} block {{ value: {block_y} }}
    args {{ buffer {{ name: "{source}" }} }}
    args {{ buffer {{ name: "{target}" }} }}
    args {{ scalar {{ type: SCALAR_TYPE_S32 int_value: {width} }} }}
    args {{ scalar {{ type: SCALAR_TYPE_S32 int_value: {height} }} }}
  }}
}}
"""

COPY = """nodes {{
  name: "copy_out"
  memcpy {{ src {{ buffer: "{source}" }} dst {{ buffer: "result" }} width_bytes: {bytes} }}
}}
"""


def graph():
    text = HEAD
    buffers = ("even", "odd")
    for number in range(SWEEPS):
        text += SWEEP.format(
            number=number, source=buffers[number % 2], target=buffers[(number + 1) % 2],
            grid_x=-(-WIDTH // BLOCK[0]), grid_y=-(-HEIGHT // BLOCK[1]),
            block_x=BLOCK[0], block_y=BLOCK[1], width=WIDTH, height=HEIGHT)
    return text + COPY.format(source=buffers[SWEEPS % 2], bytes=WIDTH * HEIGHT * 4)


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("graph.textproto").write_text(graph())
