/**
 * Runs deploy/Dockerfile without Docker in an empty folder: the files of its context, its steps, its command
 * and its health check.
 */
import { expect } from 'chai';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../../config/info.ts';
import { freePort } from '../support/servers/reverse-proxy.ts';
import { until, within } from '../support/until.ts';
import { contextFiles, stages, type Step } from './steps.ts';

/** Steps for the system, which are already done here: packages, and the folder of the volume. */
const OF_THE_SYSTEM = /^(apt-get|install) /;

describe('The Dockerfile', function () {
  this.timeout(900_000);
  let folder: string;
  before(() => (folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-image-')))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const stage = (name: string) => stages().get(name) ?? [];
  const argumentOf = (steps: readonly Step[], name: string) =>
    steps.find(({ instruction }) => instruction === name)?.argument ?? '';

  it('builds a server that starts, is healthy, and stops in order', async () => {
    for (const { instruction, argument } of stage('build')) {
      if (instruction === 'COPY') {
        expect(argument).to.equal('. .');
        for (const name of contextFiles())
          cpSync(path.join(packageRoot, name), path.join(folder, name), { recursive: true });
      } else if (instruction === 'RUN' && !OF_THE_SYSTEM.test(argument)) {
        const npm = { ...process.env, npm_config_prefer_offline: 'true', NODE_OPTIONS: '' };
        execFileSync('sh', ['-c', argument], {
          cwd: folder,
          env: npm,
          stdio: ['ignore', 'ignore', 'inherit'],
        });
      }
    }
    expect(existsSync(path.join(folder, 'node_modules', 'mocha')), 'no development packages').to.equal(false);

    const image = stage('image');
    const variables = argumentOf(image, 'ENV')
      .split(' ')
      .map((pair) => pair.split('='));
    const port = String(await freePort());
    const env = {
      PATH: process.env['PATH'],
      ...(Object.fromEntries(variables) as Record<string, string>),
      // On another address the server would require a login provider. The volume is a folder here.
      HOST: '127.0.0.1',
      PORT: port,
      DATA_DIR: path.join(folder, 'volume'),
    };
    const [program = '', ...args] = JSON.parse(argumentOf(image, 'CMD')) as string[];
    const server = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
    try {
      const [, health = '[]'] = / CMD (.*)$/.exec(argumentOf(image, 'HEALTHCHECK')) ?? [];
      const [asking = '', ...how] = JSON.parse(health) as string[];
      const status = async () => spawnSync(asking, how, { cwd: folder, env }).status;
      await until('it is healthy', status, (code) => code === 0, { withinMs: 60_000, everyMs: 500 });
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      expect(await within(30_000, 'it has stopped', ended)).to.deep.equal([0, null]);
      expect(await status(), 'nobody answers').to.equal(1);
    } finally {
      server.kill('SIGKILL');
    }
  });
});
