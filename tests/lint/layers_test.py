"""A file includes only from its own folder and from what layers.txt allows."""

import re
import unittest

import tree

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
PROTO = [
    (re.compile(r"^(graphd|grpc)/.*\.grpc\.pb\.h$"), "proto/services"),
    (re.compile(r"^graphd/v1/"), "proto/v1"),
    (re.compile(r"^graphd/internal/"), "proto/internal"),
    (re.compile(r"^google/(rpc|api)/"), "proto/google"),
    (re.compile(r"^grpc/health/"), "proto/services"),
]


def rules():
    table = {}
    for line in tree.text("tests/lint/layers.txt").splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, _, allowed = line.partition(":")
            table[name] = set(allowed.split())
    return table


def layer(include):
    """The layer that an include belongs to; None for headers of others."""
    for pattern, name in PROTO:
        if pattern.match(include):
            return name
    if include.split("/")[0] in ("core", "server", "client"):
        return include.rsplit("/", 1)[0]
    return None


class LayersTest(unittest.TestCase):

    def test_every_include_stays_in_its_layer(self):
        table = rules()
        wrong = []
        for name in tree.code("core", "server", "client"):
            folder = str(name.parent)
            allowed = table.get(folder, set()) | table.get(
                f"{folder}/{name.stem}", set()) | {folder}
            for include in INCLUDE.findall(tree.text(name)):
                target = layer(include)
                if target is not None and target not in allowed:
                    wrong.append(f"{name} includes {include}: {folder} may not use {target}")
        self.assertEqual(wrong, [])

    def test_every_code_folder_has_a_rule(self):
        folders = {str(n.parent) for n in tree.code("core", "server", "client")}
        self.assertEqual(sorted(folders - set(rules())), [])

    def test_rules_speak_of_what_exists(self):
        known = {str(n.parent) for n in tree.code("core", "server", "client")}
        known |= {str(n.with_suffix("")) for n in tree.code("core", "server", "client")}
        self.assertEqual(sorted(set(rules()) - known), [])


if __name__ == "__main__":
    unittest.main()
