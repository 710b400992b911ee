/** How test/requirements.mjs handles missing programs, with an `apt-get` that only records its arguments. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

describe('The programs that tests need', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'troupe-requirements-'));
    for (const program of ['which', 'sh']) symlinkSync(pathOf(program), path.join(folder, program));
    for (const program of [
      'chromium',
      'openssl',
      'python3',
      'haproxy',
      'redis-server',
      'systemd-analyze',
      'apt-get',
    ])
      write(program, `#!${pathOf('sh')}\necho "$@" >> ${path.join(folder, 'notes')}\n`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    chmodSync(path.join(folder, name), 0o755);
  };
  /** The output with nginx and promtool missing, and the calls of apt-get. */
  const run = (...words: readonly string[]) => {
    const { stderr } = spawnSync(process.execPath, ['test/requirements.mjs', ...words], {
      env: { PATH: folder },
      encoding: 'utf8',
    });
    const notes = path.join(folder, 'notes');
    return { lines: stderr.trim().split('\n'), asked: existsSync(notes) ? readFileSync(notes, 'utf8') : '' };
  };

  it('are installed by root, who first reads what is installed and how to prevent it', function () {
    if (process.getuid?.() !== 0) this.skip();
    const { lines, asked } = run();
    expect(lines).to.deep.equal([
      'Installs as root the Debian packages that tests need: nginx-light, prometheus.',
      'To prevent this: npm test -- --no-install',
    ]);
    expect(asked).to.equal('--quiet install --yes --no-install-recommends nginx-light prometheus\n');
  });

  it('are only named with --no-install', () => {
    const { lines, asked } = run('--no-install');
    expect(lines).to.deep.equal([
      'Skips tests that need nginx, promtool. Install the Debian packages nginx-light, prometheus to run them.',
    ]);
    expect(asked).to.equal('');
  });

  it('are not mentioned when all are there', () => {
    for (const program of ['nginx', 'promtool']) write(program, `#!${pathOf('sh')}\n`);
    expect(run()).to.deep.equal({ lines: [''], asked: '' });
  });
});

const pathOf = (program: string) => spawnSync('which', [program], { encoding: 'utf8' }).stdout.trim();
