"""The protos pass buf lint, and proto/google holds upstream files."""

import shutil
import subprocess
import unittest

import tree


class ProtoTest(unittest.TestCase):

    def test_buf_lint_finds_nothing(self):
        program = tree.ROOT / "build/tools/node_modules/.bin/buf"
        found = str(program) if program.exists() else shutil.which("buf")
        self.assertIsNotNone(found, "buf is not installed: deploy/test.sh installs it under build/tools")
        run = subprocess.run([found, "lint"], cwd=tree.ROOT / "proto", capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_every_rpc_lists_its_errors(self):
        wrong = []
        for name in tree.files(".proto"):
            if name.parts[:3] != ("proto", "graphd", "v1"):
                continue
            comment = []
            for line in tree.text(name).splitlines():
                stripped = line.strip()
                if stripped.startswith("//"):
                    comment.append(stripped)
                else:
                    if stripped.startswith("rpc ") and "Errors:" not in " ".join(comment):
                        wrong.append(f"{name}: {stripped}")
                    comment = []
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
