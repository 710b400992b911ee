/**
 * Notes in the file that TEST_COSTS names, for each test file that a worker runs: when it began, how long it took, and the processor time
 * of the worker and of the processes that it started and that have ended. Processes whose parent was killed are not in it.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';

const TICK_MS = 10;

let before = now();

export const mochaHooks = {
  afterAll() {
    const file = path.relative('dist/test', this.test.parent.suites[0]?.file ?? '');
    const after = now();
    const line = {
      file,
      worker: process.env.MOCHA_WORKER_ID,
      began: Math.round(performance.timeOrigin + before.at),
      wallMs: Math.round(after.at - before.at),
      ownMs: after.own - before.own,
      childrenMs: after.children - before.children,
    };
    appendFileSync(process.env.TEST_COSTS, `${JSON.stringify(line)}\n`);
    before = now();
  },
};

function now() {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [own, ownSystem, children, childrenSystem] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) * TICK_MS);
  return { at: performance.now(), own: own + ownSystem, children: children + childrenSystem };
}
