/** Three servers on one Redis with default settings: how long after the kill of one its work is handed out by another. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TestProvider } from '../../access/support/provider.ts';
import { packageRoot } from '../../../config/info.ts';
import { TestRedis } from '../../support/redis/redis.ts';
import { settingsOf } from '../../support/roles.ts';
import { sampleUri, Service, type LogLine } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';
import { round, type Figure } from '../measure.ts';

const SERVERS = 3;
const KILLS = Number(process.env['KILLS'] ?? 50);

export async function takeOver(): Promise<readonly Figure[]> {
  const [redis, provider] = [await TestRedis.start(), await TestProvider.start()];
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-bench-')));
  mkdirSync(path.join(folder, 'media'));
  const services = Array.from(
    { length: SERVERS },
    (_, n) => new Service(settingOf(folder, provider, redis, n), () => provider.token('admin')),
  );
  for (const service of services) await service.start();
  const times: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) times.push(await takenOver(services, folder, kill));
  for (const service of services) await service.close();
  await redis.end();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    `${round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]! / 1_000, 2)} s`;
  return [
    { what: `from kill -9 of a server until another hands out its work, p50 of ${KILLS}`, value: at(0.5) },
    { what: 'the same, p99', value: at(0.99), aim: '1 s' },
    { what: 'the same, shortest and longest', value: `${at(0)}, ${at(1)}` },
  ];
}

const settingOf = (folder: string, provider: TestProvider, redis: TestRedis, n: number) => ({
  ...settingsOf(provider),
  STORE: 'redis',
  REDIS_URL: redis.url,
  NODE_NAME: `server-${n}`,
  DATA_DIR: path.join(folder, 'data'),
  MEDIA_ROOTS: `${path.join(packageRoot, 'samples')}:${path.join(folder, 'media')}`,
  HEARTBEAT_MS: '1000',
});

/** Milliseconds. */
async function takenOver(services: readonly Service[], folder: string, kill: number): Promise<number> {
  const file = path.join(folder, 'media', `go-${kill}`);
  const job = await services[kill % SERVERS]!.submit({
    media: [sampleUri('astronaut.png')],
    pipelineName: 'TROUBLE PIPELINE',
    algorithmProperties: { TROUBLE: { TROUBLE: 'wait', TROUBLE_FILE: file } },
  });
  const isIts = ({ subJob, kind }: LogLine) => kind === 'DETECT' && String(subJob).startsWith(`${job}.`);
  const lines = (service: Service) => service.log('handed out a sub-job').filter(isIts);
  const holder = (await until('somebody works on it', () => services.find((one) => lines(one).length > 0)))!;
  const killed = Date.now();
  await holder.kill9();
  const others = services.filter((one) => one !== holder);
  const [again] = await until(
    'another one does',
    () => others.flatMap(lines),
    (found) => found.length > 0,
  );
  writeFileSync(file, '');
  await others[0]!.terminal(job);
  await holder.start();
  return again!.time - killed;
}
