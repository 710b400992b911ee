/** How test/run.mjs handles failed tests, and the order of its tests, with small folders of tests. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A test that records its process in a file and fails in the first one. */
const FAILS_ONCE = noteTest('is tripped once', 'if (processes.length === 1) throw new Error("tripped");');
const FAILS = noteTest('is broken', 'throw new Error("broken in process " + processes.length);');
const PASSES = noteTest('is sound', '');

describe('A run of the tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'troupe-run-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The output lines and the exit code. */
  const run = async (files: Readonly<Record<string, string>>, jobs: number, ...words: readonly string[]) => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), content);
    }
    const { TEST_COSTS: _, ...rest } = process.env;
    const child = spawn(process.execPath, ['test/run.mjs', ...words], {
      env: { ...rest, TEST_FOLDER: folder, TEST_JOBS: String(jobs) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const code = new Promise<number | null>((resolve) => child.once('close', resolve));
    const said = await text(child.stdout);
    return { code: await code, said, lines: said.trimEnd().split('\n') };
  };
  const processesOf = (name: string) =>
    readFileSync(path.join(folder, `${name}.processes`), 'utf8')
      .trim()
      .split('\n');

  for (const jobs of [1, 2])
    it(`runs failed files again, alone, and lists flaky tests, with ${jobs} at a time`, async () => {
      const files = { 'a/once.test.js': FAILS_ONCE, 'always.test.js': FAILS, 'sound.test.js': PASSES };
      const { code, said, lines } = await run(files, jobs);
      expect(lines.slice(-4)).to.deep.equal([
        'Flaky: these tests failed at first and passed when they ran again, alone.',
        '  a/once.test.js: This test is tripped once',
        '',
        '2 passed, 1 failed, 1 flaky',
      ]);
      expect(code).to.equal(1);
      for (const error of ['tripped', 'broken in process 1', 'broken in process 2'])
        expect(said).to.include(`Error: ${error}`);
      expect(new Set(processesOf('is tripped once')).size).to.equal(2);
      expect(new Set(processesOf('is broken')).size).to.equal(2);
      expect(processesOf('is sound').length).to.equal(1);
    });

  it('succeeds when its only failures are flaky tests, and counts each test once', async () => {
    const { code, lines } = await run({ 'once.test.js': `${FAILS_ONCE}${PASSES}` }, 1);
    expect(lines.at(-1)).to.equal('2 passed, 0 failed, 1 flaky');
    expect(code).to.equal(0);
  });

  it('leaves it at one run when more than eight files fail', async () => {
    const files = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [`${n}.test.js`, FAILS]));
    const { code, said, lines } = await run(files, 1);
    expect(lines.at(-1)).to.equal('0 passed, 9 failed');
    expect(code).to.equal(1);
    expect(said).to.include('Tests of 9 files failed; none is run again');
    expect(processesOf('is broken').length).to.equal(9);
  });

  it('counts skipped tests before flaky ones', async () => {
    const skipped = 'describe.skip("later", () => it("comes", () => {}));';
    const { lines } = await run({ 'once.test.js': `${FAILS_ONCE}${skipped}` }, 1);
    expect(lines.at(-1)).to.equal('1 passed, 0 failed, 1 skipped, 1 flaky');
  });

  it('refuses an option that it does not know', async () => {
    const { code, said } = await run({ 'sound.test.js': PASSES }, 1, '--rnadom');
    expect([code, said]).to.deep.equal([2, '']);
    expect(() => processesOf('is sound')).to.throw('ENOENT');
  });

  describe('in random order', () => {
    const titles = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const its = titles.map((title) => `it('${title}', () => {});`).join('');
    const files = { 'many.test.js': `describe('Many', () => {${its}describe('inside', () => {${its}})});` };
    const orderOf = (lines: readonly string[]) =>
      lines.flatMap((line) => /^ +\S+ ([a-h])$/.exec(line)?.[1] ?? []);

    for (const jobs of [1, 2])
      it(`repeats the order of a seed that it has printed, with ${jobs} at a time`, async () => {
        const first = await run({ ...files, 'sound.test.js': PASSES }, jobs, '--spec', '--random');
        const order = orderOf(first.lines);
        expect(order).to.have.length(16);
        expect(order.slice(0, 8)).to.have.members(titles).and.not.deep.equal(order.slice(8));
        const seed = /--random (\d+)$/m.exec(first.said)![1]!;
        const again = await run({}, jobs, '--spec', '--random', seed);
        expect(orderOf(again.lines)).to.deep.equal(order);
        expect(again.lines.at(-1)).to.equal('17 passed, 0 failed');
        const other = await run({}, jobs, '--spec', '--random', `${Number(seed) + 1}`);
        expect(orderOf(other.lines)).to.not.deep.equal(order);
      });

    it('keeps the order of a story', async () => {
      const marked = `Object.assign(describe('A story', () => {${its}}), { isStory: true });`;
      const { lines } = await run({ 'story.test.js': marked }, 1, '--spec', '--random', '7');
      expect(orderOf(lines)).to.deep.equal(titles);
    });
  });

  it('prints a line a file, and every test when it is asked for them', async () => {
    const outside = 'before(() => {});beforeEach(() => {});after(() => {});';
    const files = {
      'sound.test.js': `${outside}${PASSES}describe.skip("later", () => it("comes", () => {}));`,
    };
    const short = await run(files, 2);
    expect(short.lines.filter((line) => / s {2}/.test(line))).to.have.length(1);
    expect(short.said).to.match(/^ +\d+\.\d s {2}sound\.test\.js: 1 passed, 1 skipped$/m);
    expect(short.said).not.to.include('is sound');
    expect(short.lines.at(-1)).to.equal('1 passed, 0 failed, 1 skipped');
    const long = await run(files, 2, '--spec');
    expect(long.said).to.include('is sound');
    expect(long.lines.at(-1)).to.equal('1 passed, 0 failed, 1 skipped');
  });
});

function noteTest(title: string, then: string): string {
  return `describe('This test', () => it('${title}', () => {
    const { appendFileSync, readFileSync } = require('node:fs');
    const notes = require('node:path').join(process.env.TEST_FOLDER, '${title}.processes');
    appendFileSync(notes, process.pid + '\\n');
    const processes = readFileSync(notes, 'utf8').trim().split('\\n');
    ${then}
  }));
`;
}
