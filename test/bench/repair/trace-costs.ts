/**
 * The cost of traces: a server that reports spans, and one that only forwards trace ids, compared with one
 * without traces.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import superagent from 'superagent';
import { requestToken } from '../../../components/sdk/connection/token-request.ts';
import { loadOrCreateDevelopmentSecrets } from '../../../http/access/development-secrets.ts';
import { Collector } from '../../rest/traces/collector.ts';
import { cpuMsOf, round, runInterleaved, type Figure } from '../measure.ts';

const JOBS = 100;
const POLL_MS = 50;
const ROUNDS = 9;
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const IMAGE = pathToFileURL(path.resolve('samples/hello-world.png')).href;

export async function measureTracing(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'troupe-bench-'));
  const collector = await Collector.start();
  // A server for each variant, because a server gets faster the more it has done.
  const absent = await start(path.join(folder, 'absent'), {});
  const off = await start(path.join(folder, 'off'), {});
  const on = await start(path.join(folder, 'on'), { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const variants = {
    absent: () => absent.jobs({}),
    off: () => off.jobs({ traceparent: TRACEPARENT }),
    on: () => on.jobs({ traceparent: TRACEPARENT }),
  };
  for (const work of Object.values(variants)) await work();
  const times = await runInterleaved(ROUNDS, variants);
  await Promise.all([absent.stop(), off.stop(), on.stop()]);
  await collector.close();
  rmSync(folder, { recursive: true, force: true });
  return [
    {
      what: `processor time of the server for ${JOBS} jobs on one image, without a trace`,
      value: `${round(times.absent)} ms`,
    },
    {
      what: 'with the trace of a client, which is passed on / without',
      value: round(times.off / times.absent, 3),
      aim: '1.00',
    },
    {
      what: `with spans that are reported / without (${collector.spans.length} spans)`,
      value: round(times.on / times.absent, 3),
      aim: '<= 1.05',
    },
  ];
}

async function start(dataDir: string, more: Readonly<Record<string, string>>) {
  const script = fileURLToPath(new URL('../jobs/serve.js', import.meta.url));
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', COMPONENT_PROCESSES: '1', ...more };
  const server = spawn(process.execPath, [script], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) =>
    server.stdout.once('data', (line: Buffer) => resolve(line.toString().trim())),
  );
  const { clientSecret } = await loadOrCreateDevelopmentSecrets(dataDir);
  const token = await requestToken({ issuer: `${url}/oidc`, clientId: 'troupe-cli', clientSecret });
  const create = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const { body } = await superagent
      .post(`${url}/rest/jobs`)
      .auth(token, { type: 'bearer' })
      .set(headers)
      .send({ pipelineName: 'IMAGE PROPERTIES DETECTION PIPELINE', media: [{ mediaUri: IMAGE }] });
    return (body as { jobId: string }).jobId;
  };
  const end = async (jobId: string): Promise<void> => {
    for (;;) {
      const { body } = await superagent.get(`${url}/rest/jobs/${jobId}`).auth(token, { type: 'bearer' });
      const { terminal, jobStatus } = body as { terminal: boolean; jobStatus: string };
      if (terminal && jobStatus !== 'COMPLETE') throw new Error(`The job ended ${jobStatus}.`);
      if (terminal) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  /**
   * Processor time of the server in milliseconds. The jobs are polled one after the other, to keep the number
   * of requests low.
   */
  const jobs = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const before = cpuMsOf(server.pid!);
    const ids = await Promise.all(Array.from({ length: JOBS }, () => create(headers)));
    for (const id of ids) await end(id);
    return cpuMsOf(server.pid!) - before;
  };
  const stop = () =>
    new Promise<void>((resolve) => {
      server.once('exit', () => resolve());
      server.stdin.end();
    });
  return { jobs, stop };
}
