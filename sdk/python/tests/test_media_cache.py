import hashlib
import os
import tempfile
import threading
import time
import unittest
from pathlib import Path

from troupe_sdk import Cancelled, Context, DetectionError
from troupe_sdk.media_cache import MediaCache

CONTENT = b"a medium" * 1000
NAME = hashlib.sha256(CONTENT).hexdigest()


class Cache(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(lambda: os.system(f"rm -rf {self.folder}"))
        self.fetches = []

    def cache(self, most_bytes=10**9):
        return MediaCache(self.folder, most_bytes)

    def fetch(self, content=CONTENT):
        self.fetches.append(content)
        yield content[:100]
        time.sleep(0.05)
        yield content[100:]

    def names(self):
        return sorted(file.name for file in self.folder.iterdir())

    def test_many_at_once_fetch_once(self):
        seen = []
        caches = [self.cache() for _ in range(8)]
        users = [
            threading.Thread(target=lambda c=c: seen.append(c.use(NAME, self.fetch, Context("1")).read_bytes())) for c in caches
        ]
        for user in users:
            user.start()
        for user in users:
            user.join()
        self.assertEqual((seen, len(self.fetches)), ([CONTENT] * 8, 1))
        self.assertEqual([name for name in self.names() if not name.endswith(".use")], [NAME])

    def test_what_died_is_fetched_by_the_next_and_another_medium_is_refused(self):
        lock = self.folder / f"{NAME}.lock"
        lock.write_text("1-dead")
        os.utime(lock, (1, 1))
        self.assertEqual(self.cache().use(NAME, self.fetch, Context("1")).read_bytes(), CONTENT)
        other = "0" * 64
        with self.assertRaises(DetectionError) as raised:
            self.cache().use(other, self.fetch, Context("1"))
        self.assertEqual(raised.exception.code, "COULD_NOT_READ_MEDIA")
        self.assertNotIn(other, self.names())
        with self.assertRaises(ValueError):
            self.cache().use("../../etc/passwd", self.fetch, Context("1"))

    def test_a_cancel_ends_the_fetching_and_the_waiting(self):
        context = Context("1")
        context.cancel("the job was cancelled")
        with self.assertRaises(Cancelled):
            self.cache().use(NAME, self.fetch, context)
        self.assertEqual(self.names(), [])
        (self.folder / f"{NAME}.lock").write_text("somebody")
        with self.assertRaises(Cancelled):
            self.cache().use(NAME, self.fetch, context)

    def test_what_is_read_stays_for_its_reader_when_room_is_made(self):
        cache = self.cache(most_bytes=len(CONTENT))
        first = cache.use(NAME, self.fetch, Context("1"))
        second = CONTENT[::-1]
        name = hashlib.sha256(second).hexdigest()
        os.utime(self.folder / NAME, (1, 1))
        cache.use(name, lambda: self.fetch(second), Context("1"))
        self.assertEqual([each for each in self.names() if len(each) == 64], [name])
        self.assertEqual(first.read_bytes(), CONTENT)

    def test_a_folder_of_others_is_not_used(self):
        self.folder.chmod(0o777)
        with self.assertRaises(DetectionError):
            self.cache().use(NAME, self.fetch, Context("1"))
