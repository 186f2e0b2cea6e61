"""Sizes, header openings and names, as CONTRIBUTING.md states them."""

import re
import unittest

import tree

WALL = 600
BANNED_NAMES = {"util", "utils", "common", "misc", "helper", "helpers", "manager"}
SAFETY = re.compile(r"Thread safety:.*\b(immutable|thread-compatible|thread-safe)\b", re.DOTALL)
# Words that mark what should have been finished, refused with an error, or left out.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


class HouseTest(unittest.TestCase):

    def test_no_file_passes_the_wall(self):
        long = []
        for name in tree.files(".h", ".cc", ".py", ".sh", ".proto"):
            if name.parts[0] == "proto" and name.parts[1] == "google":
                continue
            lines = tree.text(name).count("\n")
            if lines > WALL and name.suffix != ".proto":
                long.append(f"{name}: {lines} lines, the wall is {WALL}")
        self.assertEqual(long, [])

    def test_headers_open_with_a_sentence_and_state_thread_safety(self):
        wrong = []
        for name in tree.code("core", "server", "client"):
            if name.suffix != ".h":
                continue
            opening = []
            for line in tree.text(name).splitlines():
                if not line.startswith("//"):
                    break
                opening.append(line[2:].strip())
            if not opening or not opening[0]:
                wrong.append(f"{name}: does not open with a sentence")
            elif not SAFETY.search("\n".join(opening)):
                wrong.append(f"{name}: the opening does not state thread safety in one of the three phrases")
        self.assertEqual(wrong, [])

    def test_include_guards_follow_the_path(self):
        wrong = []
        for name in tree.code("core", "server", "client", "tests"):
            if name.suffix != ".h":
                continue
            guard = "GRAPHD_" + re.sub(r"[/.]", "_", str(name)).upper() + "_"
            if f"#ifndef {guard}\n#define {guard}\n" not in tree.text(name):
                wrong.append(f"{name}: expected the include guard {guard}")
        self.assertEqual(wrong, [])

    def test_no_file_or_folder_has_a_name_that_says_nothing(self):
        wrong = []
        for name in tree.files(".h", ".cc", ".py", ".sh", ".proto", ".txt", ".md"):
            parts = set(name.parts[:-1]) | set(name.stem.split("_"))
            if parts & BANNED_NAMES:
                wrong.append(str(name))
        self.assertEqual(wrong, [])

    def test_nothing_is_marked_as_unfinished(self):
        wrong = []
        for name in tree.files(".h", ".cc", ".py", ".sh", ".proto", ".md", ".cmake"):
            if name.parts[:2] == ("proto", "google"):
                continue
            for number, line in enumerate(tree.text(name).splitlines(), 1):
                if UNFINISHED.search(line):
                    wrong.append(f"{name}:{number}: {line.strip()}")
        self.assertEqual(wrong, [])

    def test_core_reads_no_clock_environment_or_log(self):
        pattern = re.compile(r"\b(absl::Now\(|std::chrono::\w+_clock|getenv\(|spdlog|std::ifstream|fopen\()")
        wrong = []
        for name in tree.code("core"):
            if name.stem == "libcuda_provider":
                continue  # must find a library
            for number, line in enumerate(tree.text(name).splitlines(), 1):
                if pattern.search(line.split("//")[0]):
                    wrong.append(f"{name}:{number}: {line.strip()}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
