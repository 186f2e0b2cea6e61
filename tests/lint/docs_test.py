"""Links in the documents lead somewhere, and files that they name exist."""

import re
import unittest

import tree

LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")
PATH = re.compile(r"`((?:core|server|client|proto|tests|deploy|docs)/[\w./-]+\.(?:h|cc|proto|py|sh|md|txt|def))`")


class DocsTest(unittest.TestCase):

    def test_links_lead_somewhere(self):
        dead = []
        for name in tree.files(".md"):
            for target, _ in LINK.findall(tree.text(name)):
                if "://" not in target and not (tree.ROOT / name.parent / target).exists():
                    dead.append(f"{name}: {target}")
        self.assertEqual(dead, [])

    def test_named_files_exist(self):
        gone = []
        for name in tree.files(".md"):
            for target in PATH.findall(tree.text(name)):
                if not (tree.ROOT / target).exists():
                    gone.append(f"{name}: {target}")
        self.assertEqual(gone, [])


if __name__ == "__main__":
    unittest.main()
