import hashlib
import os
import tempfile
import threading
import time
import unittest
from pathlib import Path

from troupe_sdk import Cancelled, Context, DetectionError
from troupe_sdk.errors import LocalStorageError
from troupe_sdk.files import media_cache
from troupe_sdk.files.cache_room import make_room
from troupe_sdk.files.media_cache import MediaCache

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
        yield 0, content[:100]
        time.sleep(0.05)
        yield 100, content[100:]

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
        with self.assertRaises(LocalStorageError):
            self.cache().use(NAME, self.fetch, Context("1"))

    def test_a_disk_that_is_full_or_cannot_be_written_to_is_the_fault_of_this_host(self):
        cache = self.cache()
        (self.folder / f"{NAME}.{cache._own}.part").symlink_to("/dev/full")
        with self.assertRaises(LocalStorageError):
            cache.use(NAME, self.fetch, Context("1"))
        self.assertEqual(self.names(), [])
        (self.folder / "file").write_text("")
        with self.assertRaises(LocalStorageError):
            MediaCache(self.folder / "file", 10**9).use(NAME, self.fetch, Context("1"))

    def test_room_is_made_before_a_medium_is_fetched(self):
        old = self.folder / ("1" * 64)
        old.write_bytes(bytes(100))

        def fetch():
            self.fetches.append(old.exists())
            yield 0, CONTENT

        self.cache(most_bytes=len(CONTENT) + 50).use(NAME, fetch, Context("1"), len(CONTENT))
        self.assertEqual(self.fetches, [False])

    def test_room_is_made_on_a_disk_that_is_smaller_than_the_cache_may_be(self):
        (self.folder / ("1" * 64)).write_bytes(bytes(100))
        make_room(self.folder, 10**20, 1000, time.time())
        self.assertEqual(self.names(), ["1" * 64])
        make_room(self.folder, 10**20, 10**19, time.time())
        self.assertEqual(self.names(), [])

    def test_what_begins_anew_replaces_what_came_before(self):
        used = self.cache().use(NAME, lambda: iter([(0, b"of another"), (0, CONTENT)]), Context("1"))
        self.assertEqual(used.read_bytes(), CONTENT)

    def test_what_processes_left_behind_goes_by_its_age(self):
        def left(now, *names):
            for name in names:
                (self.folder / name).write_text("")
            make_room(self.folder, 10**9, 0, time.time() + now)
            return self.names()

        # The first name has the id of this process, which means nothing in other containers.
        names = (f"{os.getpid()}-a-1.use", f"{NAME}.1-a.part", "1-a-1.dead")
        self.assertEqual(left(110, *names), sorted(names))
        self.assertEqual(left(130, *names), sorted(names[1:]))
        self.assertEqual(left(3590, *names[1:]), sorted(names[1:]))
        self.assertEqual(left(3610, *names[1:]), [])

    def test_what_is_read_for_long_is_touched(self):
        used = MediaCache(self.folder, 10**9, use_touch_s=0.01).use(NAME, self.fetch, Context("1"))
        for _ in range(2):
            os.utime(used, (1, 1))
            until("it is touched", lambda: used.stat().st_mtime > 1)

    def test_a_part_that_another_process_has_taken_is_fetched_again(self):
        def fetch():
            self.fetches.append(1)
            yield 0, CONTENT
            if len(self.fetches) == 1:
                for part in self.folder.glob("*.part"):
                    part.unlink()

        self.assertEqual(self.cache().use(NAME, fetch, Context("1")).read_bytes(), CONTENT)
        self.assertEqual(len(self.fetches), 2)

    def test_the_lock_of_a_process_that_came_before_is_put_back(self):
        lock = self.folder / f"{NAME}.lock"
        lock.write_text("1-dead")
        os.utime(lock, (1, 1))
        looks = []

        def looked(path):
            # Another process creates its own lock after this one was found dead and before it is removed.
            found = is_dead(path)
            if not looks:
                lock.unlink()
                lock.write_text("another process")
            looks.append(path)
            return found

        is_dead = media_cache._is_dead
        media_cache._is_dead = looked
        self.addCleanup(setattr, media_cache, "_is_dead", is_dead)
        self.assertFalse(self.cache()._locked(lock))
        self.assertEqual((lock.read_text(), self.names()), ("another process", [lock.name]))

    def test_a_lock_is_removed_by_its_holder_alone(self):
        lock = self.folder / f"{NAME}.lock"

        def fetch():
            yield 0, CONTENT
            lock.write_text("another process")

        self.cache().use(NAME, fetch, Context("1"))
        self.assertEqual(lock.read_text(), "another process")


def until(what, condition):
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.005)
