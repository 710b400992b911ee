/**
 * Random test orders that a seed can repeat. Mocha uses `mochaHooks` (test/run.mjs --random): before a file
 * runs, the tests and nested describes of each describe are shuffled. A `story` (support/story.ts) keeps its
 * order.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';

export const mochaHooks = {
  beforeAll() {
    const root = this.test.parent;
    const files = new Map();
    for (const suite of root.suites) files.set(suite.file, [...(files.get(suite.file) ?? []), suite]);
    // All describes of a file stay together.
    root.suites = [...files.values()].flatMap((suites) => shuffled(suites, nameOf(suites[0])));
    for (const suite of root.suites) shuffle(suite);
  },
};

/** The items in the order given by `name` and the seed TEST_ORDER. */
export function shuffled(items, name) {
  const place = (index) =>
    createHash('sha256').update(`${process.env.TEST_ORDER} ${name} ${index}`).digest('hex');
  const places = new Map(items.map((item, index) => [item, place(index)]));
  return [...items].sort((a, b) => (places.get(a) < places.get(b) ? -1 : 1));
}

function shuffle(suite) {
  if (suite.isStory) return;
  suite.tests = shuffled(suite.tests, `${nameOf(suite)} tests`);
  suite.suites = shuffled(suite.suites, `${nameOf(suite)} suites`);
  suite.suites.forEach(shuffle);
}

const nameOf = (suite) => `${path.basename(suite.file)} ${suite.fullTitle()}`;
