import subprocess
import sys
import unittest
from pathlib import Path

SETUP = """
import os, signal, threading, time
from troupe_sdk.connection.access import FixedToken
from troupe_sdk.connection.client import Client
from troupe_sdk.run import watch_for_the_end
from troupe_sdk.work.interruption import Stop
from troupe_sdk.work.worker import Worker
client, stop = Client("http://127.0.0.1:1", FixedToken("t")), Stop()
worker = Worker(client, ["A"], None, stop, print)
watch_for_the_end(stop, worker, client, False)
"""


class End(unittest.TestCase):
    """Signals that end a process."""

    def run_until_its_end(self, script):
        command = [sys.executable, "-B", "-c", SETUP + script]
        return subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=60, check=False)

    def test_comes_while_the_main_thread_is_about_to_wait_for_it(self):
        for number in ("SIGTERM", "SIGINT"):
            # Event.wait also holds this lock until it begins to wait.
            ended = self.run_until_its_end(
                f"""
with client.ending._cond:
    os.kill(os.getpid(), signal.{number})
    time.sleep(0)
client.ending.wait()
print(stop.why)
"""
            )
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))
            self.assertIn("the process was", ended.stdout)

    def test_comes_though_a_library_holds_up_the_main_thread(self):
        ended = self.run_until_its_end(
            """
import hashlib
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
hashlib.pbkdf2_hmac("sha512", b"", b"", 2_000_000_000)
print("the library came back")
"""
        )
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))
