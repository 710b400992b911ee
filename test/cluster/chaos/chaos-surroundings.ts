/** The environment of the servers that can fail: their clocks and the shared folder. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const IMAGE_MIB = 128;
/** A file that fills the disk. */
const FILLER = 'filler';

/** The clock of a server, set apart from that of the machine with libfaketime of Debian. */
export class Clock {
  readonly #file: string;

  constructor(folder: string, server: number) {
    if (!existsSync(FAKETIME)) throw new Error('jumpClock needs the package libfaketime of Debian.');
    this.#file = path.join(folder, `clock-${server}`);
    this.jump(0);
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      TEST_CLOCK_ZERO: String(Date.now() - Number(process.hrtime.bigint()) / 1e6),
    };
  }

  /** @param seconds ahead of the machine, or behind if negative */
  jump(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}`);
  }
}

/** A folder on its own file system, which can hang and fill up. Needs root. */
export class OwnFolder {
  readonly path: string;
  readonly #image: string;

  constructor(folder: string) {
    this.path = path.join(folder, 'data');
    this.#image = path.join(folder, 'image');
    mkdirSync(this.path);
    execFileSync('truncate', ['-s', `${IMAGE_MIB}M`, this.#image]);
    execFileSync('mkfs.ext4', ['-q', '-m', '0', this.#image]);
    execFileSync('mount', ['-o', 'loop', this.#image, this.path]);
    for (const name of readdirSync(this.path)) rmSync(path.join(this.path, name), { recursive: true });
  }

  /** Blocks all writers. */
  hang(): void {
    execFileSync('fsfreeze', ['-f', this.path]);
  }

  resume(): void {
    execFileSync('fsfreeze', ['-u', this.path]);
  }

  fill(): void {
    const filler = path.join(this.path, FILLER);
    try {
      execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k', 'conv=fsync'], { stdio: 'ignore' });
    } catch {
      // The write fails when the disk is full.
    }
  }

  empty(): void {
    rmSync(path.join(this.path, FILLER), { force: true });
  }

  close(): void {
    execFileSync('umount', ['-l', this.path]);
  }
}
