#!/usr/bin/env python3
"""Writes graph.textproto: 16 branches of one kernel each, a barrier, their sum.

The sum gets its 16 pointers in a struct.
"""

import pathlib

ELEMENTS, BRANCHES, ROUNDS, BLOCK = 65536, 16, 32, 256

HEAD = f"""# proto-file: graphd/v1/graph.proto
# proto-message: graphd.v1.Graph
# Written by generate.py.
description: "{BRANCHES} independent branches over {ELEMENTS} floats, then their sum"

buffers {{ name: "x"   role: ROLE_INPUT  element_type: SCALAR_TYPE_F32 shape: {ELEMENTS} }}
buffers {{ name: "sum" role: ROLE_OUTPUT element_type: SCALAR_TYPE_F32 shape: {ELEMENTS} }}
"""

BRANCH_BUFFER = """buffers {{ name: "branch{branch}" role: ROLE_TRANSIENT element_type: SCALAR_TYPE_F32 shape: {elements} }}
"""

MODULE = """
modules { name: "fork_join" file: "fork_join.cu" }

"""

BRANCH = """nodes {{
  name: "wave{branch}"
  kernel {{
    module: "fork_join" function: "wave"
    grid {{ value: {grid} }} block {{ value: {block} }}
    args {{ buffer {{ name: "x" }} }}
    args {{ buffer {{ name: "branch{branch}" }} }}
    args {{ scalar {{ type: SCALAR_TYPE_F32 float_value: {rate} }} }}
    args {{ scalar {{ type: SCALAR_TYPE_S32 int_value: {rounds} }} }}
    args {{ scalar {{ type: SCALAR_TYPE_S32 int_value: {elements} }} }}
  }}
}}
"""

JOIN = """nodes {{
  name: "branches_done"
  empty {{}}
{after}}}
nodes {{
  name: "join"
  kernel {{
    module: "fork_join" function: "join"
    grid {{ value: {grid} }} block {{ value: {block} }}
    args {{
      bytes {{
        data: "{zeros}"
{relocations}      }}
    }}
    args {{ buffer {{ name: "sum" }} }}
    args {{ scalar {{ type: SCALAR_TYPE_S32 int_value: {elements} }} }}
  }}
  after: "branches_done"
}}
"""


def graph():
    shape = dict(grid=ELEMENTS // BLOCK, block=BLOCK, elements=ELEMENTS)
    text = HEAD
    for branch in range(BRANCHES):
        text += BRANCH_BUFFER.format(branch=branch, elements=ELEMENTS)
    text += MODULE
    for branch in range(BRANCHES):
        text += BRANCH.format(branch=branch, rate=3.5 + branch / 64, rounds=ROUNDS, **shape)
    after = "".join(f'  after: "wave{branch}"\n' for branch in range(BRANCHES))
    relocations = "".join(
        f'        relocations {{ offset_bytes: {8 * branch} buffer: "branch{branch}" }}\n'
        for branch in range(BRANCHES))
    return text + JOIN.format(after=after, relocations=relocations,
                              zeros="\\000" * (8 * BRANCHES), **shape)


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("graph.textproto").write_text(graph())
