"""Checks y == a * max(x, 0) in float32, bit for bit, with nothing but the standard library.

Usage: check_relu_scale.py x.npy y.npy a
"""

import array
import ast
import struct
import sys


def read_npy(path):
    """The float32 values of a one-dimensional little-endian .npy file."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        raise SystemExit(f"{path}: not an .npy file")
    wide = data[6] > 1
    size, start = (struct.unpack_from("<I", data, 8)[0], 12) if wide else (struct.unpack_from("<H", data, 8)[0], 10)
    header = ast.literal_eval(data[start:start + size].decode("latin-1").strip())
    if header["descr"] != "<f4":
        raise SystemExit(f"{path}: expected <f4, found {header['descr']}")
    values = array.array("f")
    values.frombytes(data[start + size:])
    return values


def main():
    x, y, a = read_npy(sys.argv[1]), read_npy(sys.argv[2]), float(sys.argv[3])
    # A product of two float32 values is exact in double; the array rounds it once, to nearest even, as the GPU does.
    expected = array.array("f", (a * v if v > 0.0 else 0.0 for v in x))
    if len(x) != len(y):
        raise SystemExit(f"wrong: x has {len(x)} values, y has {len(y)}")
    if expected.tobytes() != y.tobytes():
        index = next(i for i in range(len(y)) if struct.pack("f", expected[i]) != struct.pack("f", y[i]))
        raise SystemExit(f"wrong: y[{index}] is {y[index]!r}, expected {expected[index]!r}")
    print(f"right: all {len(y):,} values are equal to the bit")


if __name__ == "__main__":
    main()
