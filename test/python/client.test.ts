/** The Python client with a real server. */
import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '../../client/verbs/client.ts';
import { Streams } from '../../client/verbs/streams.ts';
import { packageRoot } from '../../config/info.ts';
import { Service } from '../support/processes/service.ts';
import { needsPython, sdkFolder } from './support.ts';

const CHECKS = path.join(packageRoot, 'test', 'python', 'client');
const README = path.join(sdkFolder, 'troupe_client', 'README.md');

/** Scripts, each with the check of its result. */
const BEHAVIOURS = {
  'runs a pipeline over a file and gives its tracks and rows': 'test_analyze',
  'uploads a file that the server cannot read': 'test_uploads',
  'uploads a large file in pieces, over a connection that breaks': 'test_uploads_pieces',
  'resumes an upload in another call': 'test_resumes_upload',
  'gives the events of a job until its end': 'test_events',
  'creates a job once, although the request is repeated': 'test_creates_once',
  'stops waiting after a time': 'test_wait_ends',
  'passes on why a job cannot be cancelled': 'test_cancel',
  'says when a job has no document': 'test_no_document',
  'lists jobs over several pages': 'test_lists',
  'writes exports and media of a job to files': 'test_results',
  'searches the results of jobs': 'test_search',
  'creates, uses and revokes an API key': 'test_keys',
  'asks for a new token when the server refuses the old one': 'test_renewed_token',
  'gives the message and the code of a refusal': 'test_refusals',
  'creates, watches and cancels a streaming job': 'test_streams',
  'gives up after some seconds when no server answers': 'test_unreachable',
  'resumes a download where its connection broke': 'test_resumes_download',
  'makes a frame of pandas, and says when pandas is missing': 'test_frame',
  'can be read by Python 3.9': 'test_grammar',
} as const;

/** Names of methods in Python style, without duplicates. */
const wordsOf = (names: readonly string[]) =>
  [...new Set(names.filter((name) => !/^_|^constructor$|^$/.test(name)))].map((name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );

describe('The Python client', function () {
  this.timeout(90_000);
  let service: Service;
  before(async function () {
    needsPython(this);
    service = await Service.openShared();
  });
  after(() => service?.close());

  /** Does not block this process, because the server may run in it. */
  async function run(python: string, args: readonly string[], cwd: string) {
    const child = spawn(python, ['-B', '-s', ...args], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        PYTHONPATH: sdkFolder,
        TROUPE_URL: service.url,
        TROUPE_TOKEN: service.token,
        SAMPLES: path.join(packageRoot, 'samples'),
      },
    });
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { status: child.exitCode, stdout, stderr };
  }

  for (const [behaviour, check] of Object.entries(BEHAVIOURS))
    it(behaviour, async function () {
      const args = ['-m', 'unittest', `checks.Checks.${check}`];
      const { status, stderr } = await run(needsPython(this), args, CHECKS);
      expect(status, stderr).to.equal(0);
      expect(stderr).to.contain('Ran 1 test');
    });

  it('has no check that no test runs', () => {
    const checks = readFileSync(path.join(CHECKS, 'checks.py'), 'utf8').matchAll(/def (test_\w+)/g);
    expect([...checks].map(([, name]) => name)).to.have.members(Object.values(BEHAVIOURS));
  });

  it('prints what its README shows', async function () {
    const blocks = [...readFileSync(README, 'utf8').matchAll(/```(python|text)\n([^]*?)```/g)];
    const [program, output] = blocks.map(([, , block = '']) => block);
    const { stdout, stderr } = await run(needsPython(this), ['-c', program!], packageRoot);
    expect(stdout, stderr).to.equal(output);
  });

  it('has the verbs of the TypeScript client', async function () {
    const program = 'import troupe_client as t; print(*[n for c in (t.Client, t.Streams) for n in vars(c)])';
    const { stdout } = await run(needsPython(this), ['-c', program], packageRoot);
    const verbs = [Client, Streams].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
    expect(wordsOf(stdout.split(/\s+/))).to.have.members(wordsOf(verbs));
  });

  it('has types without contradictions', function () {
    this.timeout(300_000);
    const python = ['python3', process.env['TEST_MYPY'] ?? ''].find(
      (name) => name !== '' && spawnSync(name, ['-m', 'mypy', '--version']).status === 0,
    );
    if (python === undefined) this.skip();
    const args = ['-m', 'mypy', '--strict', '--cache-dir', '/dev/null', '-p', 'troupe_client'];
    const { stdout } = spawnSync(python, args, { cwd: sdkFolder, encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line.startsWith('troupe_client/'))).to.deep.equal([]);
  });
});
