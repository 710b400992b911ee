/** The server that holds a data folder on this machine. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from './failure.ts';
import { askOnce } from '../components/sdk/one-request.ts';

/** A server that runs on this machine, by the lock in its data folder. */
export interface Holder {
  readonly pid: number;
  /** How clients reach it, perhaps over a proxy. */
  readonly url: string;
  /** Where it listens. */
  readonly address: string;
  /** Names this start of the server; '' when an earlier version runs. */
  readonly server: string;
  /** Who gives out tokens: `development` is the server itself. */
  readonly access: string;
}

export const HEALTH_MS = 3_000;

/** The server that holds `dataDir`, if it is alive and answers. */
export async function findHolder(dataDir: string): Promise<Holder | undefined> {
  const holder = await readLock(path.join(dataDir, 'lock'));
  return holder !== undefined && isAlive(holder.pid) && (await answers(holder.address)) ? holder : undefined;
}

async function readLock(file: string): Promise<Holder | undefined> {
  try {
    const lock = JSON.parse(await readFile(file, 'utf8')) as Partial<Holder>;
    const { pid, url, address = url, server = '', access = '' } = lock;
    return Number.isInteger(pid) && typeof url === 'string' && typeof address === 'string'
      ? { pid: Number(pid), url, address, server, access }
      : undefined;
  } catch {
    return undefined; // no lock, or one that is just being written
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

async function answers(url: string): Promise<boolean> {
  return askOnce(`${url.replace(/(?<!\/)\/+$/, '')}/healthz`, { withinMs: HEALTH_MS }).then(
    ({ status }) => status >= 200 && status < 300,
    () => false,
  );
}
