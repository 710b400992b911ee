/** The REST interface, compared with plain Koa that sends the same bytes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'undici';
import { requestToken } from '../../../components/sdk/connection/token-request.ts';
import { loadOrCreateDevelopmentSecrets } from '../../../http/access/development-secrets.ts';
import { startChild, type Child } from './child.ts';
import { cpuMsOf, cpuMsOfChildren, median, round, type Figure } from '../measure.ts';

const CONNECTIONS = 16;
const REQUESTS = 12_000;
const ROUNDS = 7;
const CREATIONS = 1_000;
const CREATION_ROUNDS = 3;

interface Peer {
  readonly pool: Pool;
  readonly headers: Readonly<Record<string, string>>;
  readonly latencies: number[];
  readonly rates: number[];
  /** Processor time of its process in milliseconds, one value per round. */
  readonly cpuMs: number[];
  readonly pid: number;
}

/** A thousand jobs: until the last response to a creation, and until the last end. */
interface Creations {
  readonly rate: number;
  readonly rateToEnd: number;
  /** Of the server, per job. */
  readonly cpuMs: number;
  readonly cpuMsToEnd: number;
  /** Of the components, per job. */
  readonly componentMs: number;
}

/** Reads of a job with token verification, and creations of empty jobs over HTTP. */
export async function restInterface(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const real = await startChild('jobs/serve.js', [], { DATA_DIR: folder, PORT: '0', MIN_FREE_BYTES: '0' });
  const { clientSecret } = await loadOrCreateDevelopmentSecrets(folder);
  const token = await requestToken({ issuer: `${real.url}/oidc`, clientId: 'troupe-cli', clientSecret });
  const service = peer(real, { authorization: `Bearer ${token}` });
  const job = await endedJob(service);
  const text = await get(service, job);
  const bare = await startChild('bare/bare-koa.js', [text]);
  const bareKoa = peer(bare, {});
  const verifying = await startChild('bare/bare-koa.js', [text, `${real.url}/oidc`]);
  const verifyingKoa = peer(verifying, service.headers);
  const peers = [bareKoa, verifyingKoa, service];
  for (const each of peers) await rate(each, job);
  for (const each of peers) each.latencies.length = each.rates.length = each.cpuMs.length = 0;
  for (let n = 0; n < ROUNDS; n++) for (const each of peers) await rate(each, job);
  const leastJobs = await startChild('bare/bare-jobs.js');
  const least = peer(leastJobs, {});
  const creations: Creations[] = [];
  const leasts: Creations[] = [];
  for (let n = 0; n < CREATION_ROUNDS; n++) {
    creations.push(await create(service));
    leasts.push(await create(least));
  }
  await Promise.all([...peers, least].map(({ pool }) => pool.close()));
  await Promise.all([real, bare, verifying, leastJobs].map((child) => child.stop()));
  rmSync(folder, { recursive: true, force: true });
  const inParts = median(creations.map((one, n) => one.rate / leasts[n]!.rate));
  return [
    ...reads(bareKoa, verifyingKoa, service),
    ...creations.map((one, n) => creationFigure('POST', one, n)),
    ...leasts.map((one, n) => creationFigure('bare Koa, SQLite and two workers: POST', one, n)),
    { what: 'POST in parts of that, median of the turns', value: round(inParts, 2) },
  ];
}

function reads(bare: Peer, verifying: Peer, service: Peer): readonly Figure[] {
  const of = (peer: Peer) => ({
    rate: median(peer.rates),
    p99: percentile(peer.latencies, 0.99),
    cpu: median(peer.cpuMs) / REQUESTS,
  });
  const [bareKoa, verifyingKoa, read] = [of(bare), of(verifying), of(service)];
  const describeRate = ({ rate, p99, cpu }: ReturnType<typeof of>) =>
    `${round(rate)} requests/s, p99 ${round(p99, 2)} ms, CPU ${round(cpu * 1_000)} us`;
  const ratios = (one: ReturnType<typeof of>) =>
    `rate ${round(read.rate / one.rate, 2)}, p99 ${round(read.p99 / one.p99, 2)}, CPU ${round(read.cpu / one.cpu, 2)}`;
  return [
    { what: 'bare Koa and router, the same bytes', value: describeRate(bareKoa) },
    { what: 'the same with koa-jwt and jwks-rsa', value: describeRate(verifyingKoa) },
    { what: 'GET of a job with token check', value: describeRate(read) },
    {
      what: 'in parts of bare Koa with a verified token',
      value: ratios(verifyingKoa),
      aim: 'rate >= 0.6, p99 <= 2',
    },
    { what: 'in parts of bare Koa without one', value: ratios(bareKoa) },
  ];
}

const creationFigure = (
  to: string,
  { rate, rateToEnd, cpuMs, cpuMsToEnd, componentMs }: Creations,
  before: number,
): Figure => ({
  what: `${to} of ${round(CREATIONS)} jobs that run and end, each synced to disk${before === 0 ? '' : `, after ${round(before * CREATIONS)}`}`,
  value: `${round(rate)} jobs/s, ${round(rateToEnd)} to their end; CPU of the server ${round(cpuMs, 2)} ms, ${round(cpuMsToEnd, 2)} ms to their end, of components ${round(componentMs, 2)} ms`,
  ...(to === 'POST' ? { aim: '>= 900 jobs/s' } : {}),
});

const peer = ({ url, pid }: Child, headers: Readonly<Record<string, string>>): Peer => ({
  pool: new Pool(url, { connections: CONNECTIONS }),
  headers,
  latencies: [],
  rates: [],
  cpuMs: [],
  pid,
});

async function get({ pool, headers }: Peer, address: string): Promise<string> {
  const { statusCode, body } = await pool.request({ path: address, method: 'GET', headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${address} answered ${statusCode}: ${text}`);
  return text;
}

/** One round of requests with CONNECTIONS connections. */
async function rate(to: Peer, address: string): Promise<void> {
  const [begin, cpu] = [performance.now(), cpuMsOf(to.pid)];
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
  to.cpuMs.push(cpuMsOf(to.pid) - cpu);
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
  media: [{ mediaUri: 'data:video/mp4;base64,eA==' }],
  buildOutput: false,
};

async function endedJob(service: Peer): Promise<string> {
  const address = `/rest/jobs/${await post(service, JOB)}`;
  await waitForEnd(service, address);
  return address;
}

async function waitForEnd(service: Peer, address: string): Promise<void> {
  while (!(JSON.parse(await get(service, address)) as { terminal: boolean }).terminal)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** With CONNECTIONS connections. */
async function create(service: Peer): Promise<Creations> {
  const [begin, cpu] = [performance.now(), cpuMsOf(service.pid)];
  const components = cpuMsOfChildren(service.pid);
  const since = () => [
    (CREATIONS / (performance.now() - begin)) * 1_000,
    (cpuMsOf(service.pid) - cpu) / CREATIONS,
  ];
  const jobs: string[] = [];
  let left = CREATIONS;
  const client = async () => {
    while (left-- > 0) jobs.push(await post(service, JOB));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  const [rate = 0, cpuMs = 0] = since();
  for (const job of jobs.toReversed()) await waitForEnd(service, `/rest/jobs/${job}`);
  const [rateToEnd = 0, cpuMsToEnd = 0] = since();
  const componentMs = (cpuMsOfChildren(service.pid) - components) / CREATIONS;
  return { rate, rateToEnd, cpuMs, cpuMsToEnd, componentMs };
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
