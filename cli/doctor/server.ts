import { createServer } from 'node:net';
import type { Settings } from '../../config/settings.ts';
import { askOnce } from '../../components/sdk/connection/one-request.ts';
import { HEALTH_MS, type Holder } from '../service/holder.ts';
import { reasonNotToStart } from '../service/serve.ts';
import { findingsOn, reasonOf, type Finding } from './check-result.ts';

const { ok, error } = findingsOn('server');

/** Checks that a running server accepts jobs. */
export async function checkRunning({ address, pid }: Holder): Promise<readonly Finding[]> {
  const { status, text } = await askOnce(`${address.replace(/(?<!\/)\/+$/, '')}/readyz`, {
    withinMs: HEALTH_MS,
  });
  if (status === 200) return [ok(`The server runs at ${address} (process ${pid}) and accepts jobs.`)];
  const reason = messageOf(text);
  return [
    error(
      `The server runs at ${address} (process ${pid}) but accepts no jobs: ${reason}`,
      'Repair this. The log of the server has details.',
    ),
  ];
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly message: unknown }).message);
  } catch {
    return text;
  }
}

/** Checks that a server could listen at its address. */
export async function checkPort(settings: Settings): Promise<readonly Finding[]> {
  const { HOST, PORT } = settings;
  const problem = await listenProblem(HOST, PORT);
  if (problem === undefined)
    return [ok(`No server runs in ${settings.DATA_DIR}. ${placeOf(PORT, HOST)} is free.`)];
  const [text = '', fix = ''] = (reasonNotToStart(problem, settings) ?? reasonOf(problem)).split(/: (.*)/s);
  return [error(`${text}.`, `${fix.charAt(0).toUpperCase()}${fix.slice(1)}`)];
}

const placeOf = (port: number, host: string) =>
  port === 0 ? `A port of ${host}` : `Port ${port} of ${host}`;

const listenProblem = (host: string, port: number): Promise<unknown> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
