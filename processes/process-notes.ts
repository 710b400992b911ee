/** Which processes run, noted in files: a server that was killed cannot end them, so another one does. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** In the folder of a server's notes: which process the server itself is. */
const SERVER = 'server';

/**
 * Notes of the processes that this server has started, each the leader of its group, in a folder of its own. Components
 * end by themselves when the server has stopped; other commands may not. A process is identified by its id, its start
 * and the start of the system, so that no other process with the same id is ended. Needs /proc: without it (macOS),
 * nothing is noted.
 */
export class ProcessNotes {
  /** Of the notes of all servers. */
  readonly #folder: string;
  readonly #own: string;
  readonly #alone: boolean;

  /** `serverId`: that of this start of the server. `alone`: whatever other servers have noted there, they are gone. */
  constructor(folder: string, serverId: string, alone: boolean) {
    this.#folder = folder;
    this.#own = path.join(folder, serverId);
    this.#alone = alone;
  }

  /** Best effort: a process that cannot be noted, on a full disk, runs all the same. */
  add(pid: number): void {
    const identity = identityOf(pid);
    if (identity === undefined) return;
    try {
      this.#begin();
      write(path.join(this.#own, String(pid)), identity);
    } catch {
      // It ends with the server unless that is killed.
    }
  }

  remove(pid: number): void {
    removeQuietly(path.join(this.#own, String(pid)));
  }

  /** Before this server starts any: ends what servers of this host that are gone have left running, with its groups; answers the process ids. */
  endLeftovers(): readonly number[] {
    const left: number[] = [];
    for (const name of namesIn(this.#folder)) {
      const folder = path.join(this.#folder, name);
      if (folder === this.#own || isNote(name) || !(this.#alone || isGone(folder))) continue;
      left.push(...endNoted(folder));
      removeQuietly(folder);
    }
    return left;
  }

  /** The notes of a server that is down in order tell of nothing. */
  close(): void {
    removeQuietly(this.#own);
  }

  #begin(): void {
    if (mkdirSync(this.#own, { recursive: true, mode: 0o700 }) === undefined) return;
    write(path.join(this.#own, SERVER), `${process.pid} ${identityOf(process.pid)}`);
  }
}

/** Whether the server whose notes these are ran on this host and does not any more. Of other hosts nobody here can tell. */
function isGone(folder: string): boolean {
  const [, pid, identity] = /^(\d+) (.+)$/s.exec(read(path.join(folder, SERVER)) ?? '') ?? [];
  // It was killed before it had noted itself: then it has noted nothing else.
  if (pid === undefined || identity === undefined) return true;
  return systemOf(identity) === system() && identityOf(Number(pid)) !== identity;
}

function endNoted(folder: string): number[] {
  const ended: number[] = [];
  for (const name of namesIn(folder).filter(isNote)) {
    const pid = Number(name);
    const file = path.join(folder, name);
    const identity = identityOf(pid);
    if (identity !== undefined && identity === read(file) && killGroup(pid)) ended.push(pid);
    removeQuietly(file);
  }
  return ended;
}

const isNote = (name: string) => /^[1-9]\d*$/.test(name);

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function write(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** A note without its process harms nobody. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true });
  } catch {
    // It stays.
  }
}

/** Start of the system and of the process, and its pid namespace: together they identify one process. */
export function identityOf(pid: number): string | undefined {
  const [stat, where] = [read(`/proc/${pid}/stat`), system()];
  // The name before the last ')' may hold anything; the start is the 22nd field, the 20th after it.
  const start = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return start === undefined || where === undefined ? undefined : `${where} ${start}`;
}

/** The start of the system, and the container if this is one: process ids of others tell nothing here. */
function system(): string | undefined {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

const systemOf = (identity: string) => identity.slice(0, identity.lastIndexOf(' '));

function killGroup(pid: number): boolean {
  try {
    process.kill(-pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
