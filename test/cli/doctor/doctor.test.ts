/** `troupe doctor` as a separate process, with real folders, servers, login providers and a real Redis. */
import { createServer } from 'node:net';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'chai';
import { TestProvider } from '../../access/support/provider.ts';
import { settingsOf } from '../../support/roles.ts';
import { hasRedis, TestRedis } from '../../support/redis/redis.ts';
import { Place } from '../support/support.ts';

interface Finding {
  readonly about: string;
  readonly level: 'ok' | 'warning' | 'error';
  readonly text: string;
  readonly fix?: string;
}

describe('troupe doctor', () => {
  let place: Place;
  beforeEach(() => (place = new Place()));
  afterEach(() => place.leave());

  const examine = async (env: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, stderr } = await place.troupe(['doctor', '--json'], { PORT: '0', ...env });
    expect(stderr).to.equal('');
    const findings = JSON.parse(stdout) as readonly Finding[];
    return {
      code,
      findings,
      problems: findings.filter(({ level }) => level !== 'ok').map(({ text }) => text),
    };
  };

  it('finds nothing wrong before the first start, and says what it has looked at', async () => {
    const { code, problems, findings } = await examine();
    expect([code, problems]).to.deep.equal([0, []]);
    expect(new Set(findings.map(({ about }) => about))).to.include.keys([
      'settings',
      'server',
      'data',
      'database',
      'media',
      'models',
      'provider',
    ]);
    const shown = await place.troupe(['doctor'], { PORT: '0' });
    expect(shown.stdout).to.match(/^ok {7}settings: The settings are valid\.$/m);
    expect(shown.stdout).to.match(/^0 errors, 0 warnings$/m);
  });

  it('looks at a server that runs, whose port and data folder are in use', async () => {
    const { url } = await place.serve();
    const { code, problems, findings } = await examine({ PORT: new URL(url).port });
    expect([code, problems]).to.deep.equal([0, []]);
    expect(findings.find(({ about }) => about === 'server')?.text).to.match(/runs at .* and accepts jobs/);
  });

  it('says which settings are wrong, and looks no further', async () => {
    const { code, findings } = await examine({ MAX_LIVE_JOBS: 'many' });
    expect(code).to.equal(1);
    expect(findings.map(({ level, text }) => [level, text])).to.deep.equal([
      ['error', 'MAX_LIVE_JOBS must be a whole number, 1 or more, but is "many".'],
    ]);
  });

  it('says when the port is in use and folders are missing or closed', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const missing = path.join(place.folder, 'nowhere');
    const { code, findings } = await examine({ PORT: String(port), MEDIA_ROOTS: missing });
    other.close();
    expect(code).to.equal(1);
    const byAbout = (about: string) => findings.find((one) => one.about === about);
    expect(byAbout('server')).to.deep.include({
      level: 'error',
      text: `Port ${port} of 127.0.0.1 is in use.`,
      fix: 'Stop what listens there, or set PORT to another one.',
    });
    expect(byAbout('media')).to.deep.include({
      level: 'warning',
      text: `${missing} cannot be read: it does not exist.`,
    });
  });

  it('says when the data folder cannot be written or has no room, and when the database is none', async () => {
    mkdirSync(place.dataDir);
    writeFileSync(path.join(place.dataDir, 'troupe.db'), 'this is no database at all');
    const full = await examine({ MIN_FREE_BYTES: String(Number.MAX_SAFE_INTEGER) });
    expect(full.code).to.equal(1);
    expect(full.problems.join('\n')).to.match(/MiB free, less than MIN_FREE_BYTES/);
    expect(full.problems.join('\n')).to.match(/troupe\.db is not an SQLite database\./);
    // Root can write everywhere.
    if (process.getuid?.() === 0) return;
    chmodSync(place.dataDir, 0o500);
    const { code, problems } = await examine();
    chmodSync(place.dataDir, 0o700);
    expect(code).to.equal(1);
    expect(problems.join('\n')).to.include('cannot be written: this user has no right to it.');
  });

  it('asks the provider for its keys, and says when it is not there or knows another secret', async () => {
    const provider = await TestProvider.start();
    const env = { ...settingsOf(provider), HOST: '127.0.0.1' };
    const good = await examine(env);
    expect([good.code, good.problems]).to.deep.equal([0, []]);
    const texts = good.findings.map(({ text }) => text).join('\n');
    expect(texts).to.match(/answers, and publishes \d+ keys?\./);
    expect(texts).to.include('The clock agrees with that of the provider.');
    const wrong = await examine({ ...env, OIDC_CLIENT_SECRET: 'another-secret' });
    expect(wrong.problems.join('\n')).to.match(/did not accept the client/);
    await provider.close();
    const away = await examine(env);
    expect(away.code).to.equal(1);
    expect(away.problems.join('\n')).to.match(/^The provider http\S+ cannot be used: /);
  });

  it('looks at the settings and the clock of Redis, and says when it is not there', async function () {
    if (!hasRedis()) return this.skip();
    const redis = await TestRedis.start();
    const env = { STORE: 'redis', REDIS_URL: redis.url };
    const { code, findings } = await examine(env);
    const texts = findings.map(({ text }) => text).join('\n');
    expect(code).to.equal(0);
    expect(texts).to.match(/^The Redis at \S+ answers\.$/m);
    expect(texts).to.include('The clock agrees with that of Redis.');
    await redis.end();
    const away = await examine(env);
    expect(away.code).to.equal(1);
    expect(away.problems.join('\n')).to.match(/^The Redis at \S+ cannot be used: /m);
  });
});
