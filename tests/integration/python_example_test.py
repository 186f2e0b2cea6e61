"""The raw Python client of the examples runs as its own text says."""

import os
import subprocess
import sys
import unittest

import daemon
from daemon import BUILD, EXAMPLES, DaemonTestCase


class PythonExampleTest(DaemonTestCase):

    def test_it_submits_replays_and_checks(self):
        environment = dict(os.environ, PYTHONPATH=str(BUILD / "python"))
        for address in (self.daemon.endpoint, self.daemon.addresses[1]):
            run = subprocess.run([sys.executable, EXAMPLES / "python" / "run_relu_scale.py", address],
                                 env=environment, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("right: all 1,048,576 values", run.stdout)


if __name__ == "__main__":
    unittest.main()
