/** The REST interface against bare Koa that answers the same bytes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { requestToken } from '../../cli/token-request.ts';
import { loadOrCreateDevelopmentSecrets } from '../../http/access/development-secrets.ts';
import { startChild } from './child.ts';
import { median, round, type Figure } from './measure.ts';

const CONNECTIONS = 16;
const REQUESTS = 12_000;
const ROUNDS = 7;
const CREATIONS = 1_000;

interface Peer {
  readonly pool: Pool;
  readonly headers: Readonly<Record<string, string>>;
  readonly latencies: number[];
  readonly rates: number[];
}

/** Reads of a job with token check, and creations of empty jobs over HTTP. */
export async function restInterface(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const real = await startChild('serve.js', [], { DATA_DIR: folder, PORT: '0', MIN_FREE_BYTES: '0' });
  const { clientSecret } = await loadOrCreateDevelopmentSecrets(folder);
  const token = await requestToken({ issuer: `${real.url}/oidc`, clientId: 'troupe-cli', clientSecret });
  const service = peer(real.url, { authorization: `Bearer ${token}` });
  const job = await endedJob(service);
  const text = await get(service, job);
  const bare = await startChild('bare-koa.js', [text]);
  const bareKoa = peer(bare.url, {});
  await rate(service, job);
  await rate(bareKoa, job);
  for (const each of [service, bareKoa]) each.latencies.length = each.rates.length = 0;
  for (let n = 0; n < ROUNDS; n++) for (const each of [bareKoa, service]) await rate(each, job);
  const creations = await create(service);
  await Promise.all([service.pool.close(), bareKoa.pool.close()]);
  await Promise.all([real.stop(), bare.stop()]);
  rmSync(folder, { recursive: true, force: true });
  return figures(bareKoa, service, creations);
}

function figures(bare: Peer, service: Peer, creations: number): readonly Figure[] {
  const [bareRate, rate] = [median(bare.rates), median(service.rates)];
  const [bareP99, p99] = [percentile(bare.latencies, 0.99), percentile(service.latencies, 0.99)];
  return [
    {
      what: 'bare Koa and router, the same bytes',
      value: `${round(bareRate)} requests/s, p99 ${round(bareP99, 2)} ms`,
    },
    {
      what: 'GET of a job with token check: rate',
      value: `${round(rate)} requests/s, ratio ${round(rate / bareRate, 2)}`,
      aim: '>= 0.6',
    },
    {
      what: 'GET of a job with token check: p99',
      value: `${round(p99, 2)} ms, ratio ${round(p99 / bareP99, 2)}`,
      aim: '<= 2',
    },
    { what: 'POST of jobs that run and end, each synced to disk', value: `${round(creations)} jobs/s` },
  ];
}

const peer = (url: string, headers: Readonly<Record<string, string>>): Peer => ({
  pool: new Pool(url, { connections: CONNECTIONS }),
  headers,
  latencies: [],
  rates: [],
});

async function get({ pool, headers }: Peer, address: string): Promise<string> {
  const { statusCode, body } = await pool.request({ path: address, method: 'GET', headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${address} answered ${statusCode}: ${text}`);
  return text;
}

/** One round of requests, CONNECTIONS at a time. */
async function rate(to: Peer, address: string): Promise<void> {
  const begin = performance.now();
  let left = REQUESTS;
  const client = async () => {
    while (left-- > 0) {
      const asked = performance.now();
      await get(to, address);
      to.latencies.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  to.rates.push((REQUESTS / (performance.now() - begin)) * 1_000);
}

async function post({ pool, headers }: Peer, request: object): Promise<string> {
  const { statusCode, body } = await pool.request({
    path: '/rest/jobs',
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`A job was refused: ${statusCode} ${text}`);
  return (JSON.parse(text) as { jobId: string }).jobId;
}

const JOB = {
  pipelineName: 'MOTION DETECTION PIPELINE',
  media: [{ mediaUri: 'data:text/plain;base64,eA==' }],
  buildOutput: false,
};

async function endedJob(service: Peer): Promise<string> {
  const address = `/rest/jobs/${await post(service, JOB)}`;
  while (!(JSON.parse(await get(service, address)) as { terminal: boolean }).terminal)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return address;
}

/** Jobs a second, CONNECTIONS at a time. */
async function create(service: Peer): Promise<number> {
  const begin = performance.now();
  let left = CREATIONS;
  const client = async () => {
    while (left-- > 0) await post(service, JOB);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return (CREATIONS / (performance.now() - begin)) * 1_000;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
