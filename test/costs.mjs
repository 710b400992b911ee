/**
 * Measures each test file of a worker and appends the result to the file TEST_COSTS: start, duration, and the
 * processor time of the worker and its child processes, including running ones. Processes whose parent was
 * killed are not counted.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
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
  const { own, children } = timesOf('self');
  return { at: performance.now(), own, children: children + livingBelow('self') };
}

/** Processor time of the running descendants of this process, and of their ended children. */
function livingBelow(pid) {
  let sum = 0;
  for (const child of childrenOf(pid)) {
    try {
      const { own, children } = timesOf(child);
      sum += own + children + livingBelow(child);
    } catch {
      // The process has just ended.
    }
  }
  return sum;
}

function childrenOf(pid) {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    const pids = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
    return pids.split(' ').filter((child) => child !== '');
  });
}

function timesOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [own, ownSystem, children, childrenSystem] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) * TICK_MS);
  return { own: own + ownSystem, children: children + childrenSystem };
}
