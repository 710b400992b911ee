/** The server that holds a data folder on this machine, or one of those that share it. */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isShared, lockFiles } from '../../config/lock-files.ts';
import { codeOf } from '../terminal/failure.ts';
import { askOnce } from '../../components/sdk/connection/one-request.ts';

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

/** The server that holds `dataDir`, if it is alive and answers; of several that share it the one of this process, or the newest. */
export async function findHolder(dataDir: string): Promise<Holder | undefined> {
  const read = await Promise.all(lockFiles(dataDir).map(readLock));
  const holders = read.filter((one) => one !== undefined).filter(({ pid }) => isAlive(pid));
  const isOwn = ({ pid }: Holder) => pid === process.pid;
  for (const holder of [...holders.filter(isOwn), ...holders.filter((one) => !isOwn(one))])
    if (await answers(holder.address)) return holder;
  return undefined;
}

async function readLock(file: string): Promise<Holder | undefined> {
  try {
    const lock = JSON.parse(await readFile(file, 'utf8')) as Partial<Holder & { readonly host: string }>;
    const { pid, url, address = url, server = '', access = '', host } = lock;
    // Of a server on another host that shares the folder neither process nor address means anything here.
    if (isShared(file) && host !== hostname()) return undefined;
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
