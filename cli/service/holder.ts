/** The server that uses a data folder on this machine, or one of several servers that share the folder. */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isShared, lockFiles } from '../../config/lock-files.ts';
import { codeOf } from '../terminal/failure.ts';
import { askOnce } from '../../components/sdk/connection/one-request.ts';

/** A server that runs on this machine, as described by the lock in its data folder. */
export interface Holder {
  readonly pid: number;
  /** URL at which clients reach the server, possibly through a proxy. */
  readonly url: string;
  /** Address at which the server listens. */
  readonly address: string;
  /** Identifies this start of the server. Empty for an earlier version. */
  readonly server: string;
  /** Issuer of tokens. `development`: the server itself. */
  readonly access: string;
}

export const HEALTH_MS = 3_000;

/** Returns the live server that uses `dataDir`. If several share it, returns the one of this process, or the newest. */
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
    // A server on another host may share the folder. Its process id and address are not valid here.
    if (isShared(file) && host !== hostname()) return undefined;
    return Number.isInteger(pid) && typeof url === 'string' && typeof address === 'string'
      ? { pid: Number(pid), url, address, server, access }
      : undefined;
  } catch {
    return undefined; // no lock, or an incomplete one
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
