/** 10,000 searches for similar tracks in a minute, while a user sends other requests to the same server. */
import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { forgetPeak, inMib, peakBytes, residentBytes } from '../../bench/memory.ts';
import { featureOf } from '../../search/vectors.ts';
import { sampleUri, Service } from '../../support/processes/service.ts';
import { until } from '../../support/until.ts';

const [REQUESTS, MINUTE_MS] = [10_000, 60_000] as const;
/** Enough tracks for an index file. */
const [JOBS, TRACKS_OF_JOB] = [10, 250] as const;
const NUMBERS = 8;
const MODEL = 'staged@1';
const LOOK_MS = 250;
const MIB = 1024 * 1024;

interface Said {
  readonly status: number;
  readonly retryAfter: string | string[] | undefined;
  readonly code?: string;
  readonly hits?: readonly { readonly similarity: number }[];
}

/** Each vector has its own direction. */
const vectorOf = (n: number): number[] =>
  Array.from({ length: NUMBERS }, (_, i) => Math.sin((n + 1) * (i + 1) * 0.7));

describe('10,000 searches for similar tracks in a minute', function () {
  this.timeout(300_000);
  let service: Service;
  let pool: Pool;
  before(async () => {
    service = await Service.start();
    pool = new Pool(service.url, { connections: 256 });
    const ids: string[] = [];
    for (let job = 0; job < JOBS; job++) {
      const tracks = Array.from({ length: TRACKS_OF_JOB }, (_, n) => {
        const FEATURE = featureOf(vectorOf(job * TRACKS_OF_JOB + n));
        return { frames: [0], properties: { FEATURE, FEATURE_MODEL: MODEL } };
      });
      const jobProperties = { STAGE: JSON.stringify(tracks) };
      const media = [sampleUri('chelsea.png')];
      ids.push(await service.submit({ pipelineName: 'STAGED PIPELINE', media, jobProperties }));
    }
    for (const id of ids) await service.terminal(id);
    await until('an index file has the vectors', async () => {
      const [folder = 'none'] = (await service.files('.')).filter((name) => name.endsWith('-vectors'));
      return (await service.files(folder)).length > 0;
    });
  });
  after(async () => {
    await pool.close();
    await service.close();
  });

  /** Uses at most 256 connections, more than the number of searches that may wait at the server. */
  async function ask(n: number): Promise<Said> {
    const { statusCode, headers, body } = await pool.request({
      ...{ method: 'POST', path: '/rest/search/similar' },
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ vector: vectorOf(n), model: MODEL, limit: 10 }),
    });
    const said = (await body.json()) as Pick<Said, 'code' | 'hits'>;
    return { ...said, status: statusCode, retryAfter: headers['retry-after'] };
  }
  const bestOf = ({ hits = [] }: Said) => hits[0]?.similarity;
  const all = JOBS * TRACKS_OF_JOB;

  /** Sends requests at a constant rate, regardless of the response times. */
  async function askEvenly(count: number, ms: number): Promise<readonly Said[]> {
    const answers: Promise<Said>[] = [];
    const start = performance.now();
    while (answers.length < count) {
      const due = Math.min(count, Math.ceil(((performance.now() - start) / ms) * count));
      while (answers.length < due) answers.push(ask(answers.length % all));
      await pause(5);
    }
    return Promise.all(answers);
  }

  /** Repeats other requests until `signal`, and returns their durations in milliseconds. */
  async function askOthers(signal: AbortSignal): Promise<readonly number[]> {
    const took: number[] = [];
    for (let n = 0; !signal.aborted; n++) {
      const start = performance.now();
      const path = ['/rest/jobs?terminal=false', '/rest/info', '/rest/pipelines'][n % 3]!;
      expect((await service.ask('GET', path)).status, path).to.equal(200);
      took.push(performance.now() - start);
      await pause(LOOK_MS);
    }
    return took.toSorted((a, b) => a - b);
  }

  it('are answered or clearly refused, within bounded memory, while others are answered', async () => {
    await askEvenly(1_000, 6_000);
    const before = residentBytes(service.pid);
    forgetPeak(service.pid);
    const ended = new AbortController();
    const others = askOthers(ended.signal);
    const start = performance.now();
    const answers = await askEvenly(REQUESTS, MINUTE_MS);
    const seconds = (performance.now() - start) / 1_000;
    ended.abort();
    const took = await others;
    const grown = peakBytes(service.pid) - before;
    const refused = answers.filter(({ status }) => status !== 200);
    const p95 = took[Math.floor(took.length * 0.95)]!;
    const figures = `${seconds.toFixed(0)} s, ${refused.length} refused; others: p95 ${p95.toFixed(0)} ms; memory: +${inMib(grown)}`;
    process.stdout.write(`      ${figures}\n`);
    for (const { status, retryAfter, code } of refused)
      expect([status, retryAfter, code]).to.deep.equal([503, '2', 'overloaded']);
    expect(answers.length - refused.length).to.be.greaterThan(REQUESTS / 4);
    for (const answer of answers.filter(({ status }) => status === 200))
      expect(bestOf(answer)).to.be.closeTo(1, 1e-4);
    expect(p95).to.be.below(5_000);
    expect(grown).to.be.below(128 * MIB);
  });

  it('all at once are refused but for those that may wait, and the next one is answered', async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, n) => ask(n)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].toSorted((a, b) => a - b)).to.deep.equal([200, 503]);
    const again = await ask(7);
    expect([again.status, bestOf(again)! > 0.999]).to.deep.equal([200, true]);
  });
});
