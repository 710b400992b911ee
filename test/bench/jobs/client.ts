/** The real server in its own process, with a minimal client for benchmarks. */
import path from 'node:path';
import { request } from 'undici';
import { requestToken } from '../../../components/sdk/connection/token-request.ts';
import { loadOrCreateDevelopmentSecrets } from '../../../http/access/development-secrets.ts';
import { startChild } from './child.ts';

export interface JobBody {
  readonly media: readonly {
    readonly mediaUri: string;
    readonly metadata?: Readonly<Record<string, string>>;
  }[];
  readonly pipelineName: string;
  readonly jobProperties?: Readonly<Record<string, string>>;
}

export interface Client {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  post(path: string, body: unknown): Promise<unknown>;
  /** Runs a job from its POST until it is COMPLETE and returns its id. `pollMs`: polling interval. */
  run(job: JobBody, pollMs?: number): Promise<string>;
  /** Waits until a job has ended. @throws Error if it has another status then */
  waitFor(jobId: string, status: string, pollMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** `folder`: may contain media. The server's data are below it, in `name`. */
export async function startClient(
  folder: string,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const dataDir = path.join(folder, name);
  const server = await startChild('jobs/serve.js', [], {
    DATA_DIR: dataDir,
    PORT: '0',
    MEDIA_ROOTS: folder,
    ...env,
  });
  const { clientSecret } = await loadOrCreateDevelopmentSecrets(dataDir);
  const token = await requestToken({ issuer: `${server.url}/oidc`, clientId: 'troupe-cli', clientSecret });
  const post = (address: string, body: unknown) => ask(server.url + address, token, body);
  const waitFor = async (jobId: string, status: string, pollMs = 5): Promise<void> => {
    for (;;) {
      const info = (await ask(`${server.url}/rest/jobs/${jobId}`, token)) as JobInfo;
      if (info.terminal && info.jobStatus !== status) throw new Error(`The job ended ${info.jobStatus}.`);
      if (info.terminal) return;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  };
  const run = async (job: JobBody, pollMs?: number): Promise<string> => {
    const { jobId } = (await post('/rest/jobs', job)) as { jobId: string };
    await waitFor(jobId, 'COMPLETE', pollMs);
    return jobId;
  };
  return { url: server.url, pid: server.pid, token, post, run, waitFor, stop: () => server.stop() };
}

interface JobInfo {
  readonly terminal: boolean;
  readonly jobStatus: string;
}

async function ask(url: string, token: string, message?: unknown): Promise<unknown> {
  const { statusCode, body } = await request(url, {
    method: message === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: message === undefined ? null : JSON.stringify(message),
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${url} answered ${statusCode}: ${text}`);
  return JSON.parse(text) as unknown;
}
