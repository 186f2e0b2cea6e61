"""Every C++ file is as clang-format (Google) writes it."""

import shutil
import subprocess
import unittest

import tree


class FormatTest(unittest.TestCase):

    def test_clang_format_changes_nothing(self):
        program = shutil.which("clang-format-14") or shutil.which("clang-format")
        self.assertIsNotNone(program, "clang-format-14 is not installed: see deploy/packages.txt")
        names = [str(n) for n in tree.code("core", "server", "client", "tests")]
        run = subprocess.run([program, "--dry-run", "--Werror", *names],
                             cwd=tree.ROOT, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr[:4000])


if __name__ == "__main__":
    unittest.main()
