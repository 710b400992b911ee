/**
 * BullMQ with the same Redis, if installed: BULLMQ= is the folder of its package, which Troupe does not need.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runInterleaved, measureTime } from '../measure.ts';

const CHILD = fileURLToPath(new URL('./bull-child.js', import.meta.url));

/**
 * Milliseconds for this number of jobs with one, two and three processes, each of which adds its share and
 * works. Undefined: BullMQ is not installed.
 */
export async function bullJobs(url: string, jobs: number): Promise<readonly number[] | undefined> {
  const folder = process.env['BULLMQ'];
  if (folder === undefined) return undefined;
  const groups = [1, 2, 3].map((processes) => new Bulls(folder, url, processes));
  await Promise.all(groups.map((group) => group.up()));
  const [one, two, three] = groups as [Bulls, Bulls, Bulls];
  const times = await runInterleaved(3, {
    one: () => measureTime(() => one.run(jobs)),
    two: () => measureTime(() => two.run(jobs)),
    three: () => measureTime(() => three.run(jobs)),
  });
  await Promise.all(groups.map((group) => group.stop()));
  return [times.one, times.two, times.three];
}

class Bulls {
  readonly #children;

  constructor(folder: string, url: string, processes: number) {
    this.#children = Array.from({ length: processes }, () => {
      const child = spawn(process.execPath, [CHILD, folder, url, `bull-${processes}`], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout });
      return { child, line: () => once(lines, 'line') };
    });
  }

  async up(): Promise<void> {
    await Promise.all(this.#children.map(({ line }) => line()));
  }

  async run(jobs: number): Promise<void> {
    const each = Math.ceil(jobs / this.#children.length);
    await Promise.all(
      this.#children.map(({ child, line }) => {
        const done = line();
        child.stdin.write(`${each}\n`);
        return done;
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(({ child }) => {
        const ended = once(child, 'exit');
        child.stdin.end();
        return ended;
      }),
    );
  }
}
