/** Notes running processes in files. A killed server cannot end its processes, so another server does. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Name of the note that identifies the server itself. */
const SERVER = 'server';

/**
 * Notes of the processes that this server has started, in its own folder. Each process leads a process group. Components end by themselves
 * when the server has stopped; other commands may not. A process is identified by its id, its start and the start of the system. So no
 * other process with the same id is killed. Needs /proc: without it (macOS), nothing is noted.
 */
export class ProcessNotes {
  /** Folder with the notes of all servers. */
  readonly #folder: string;
  readonly #own: string;
  readonly #alone: boolean;

  /** `serverId`: of this server process. `alone`: true if all other servers with notes there are dead. */
  constructor(folder: string, serverId: string, alone: boolean) {
    this.#folder = folder;
    this.#own = path.join(folder, serverId);
    this.#alone = alone;
  }

  /** Notes a process. Best effort: a process that cannot be noted, on a full disk, still runs. */
  add(pid: number): void {
    const identity = identityOf(pid);
    if (identity === undefined) return;
    try {
      this.#begin();
      write(path.join(this.#own, String(pid)), identity);
    } catch {
      // The process ends with the server unless the server is killed.
    }
  }

  remove(pid: number): void {
    removeQuietly(path.join(this.#own, String(pid)));
  }

  /** Returns the path of a socket beside the notes, which is deleted with them. Throws if the folder cannot be made. */
  socketPath(name: string): string {
    this.#begin();
    return path.join(this.#own, name);
  }

  /** Kills the process groups that dead servers of this host left running, before this server starts any. Returns the process ids. */
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

  /** Deletes the notes when the server stops in order. */
  close(): void {
    removeQuietly(this.#own);
  }

  #begin(): void {
    if (mkdirSync(this.#own, { recursive: true, mode: 0o700 }) === undefined) return;
    try {
      write(path.join(this.#own, SERVER), `${process.pid} ${identityOf(process.pid)}`);
    } catch (error) {
      // Without this note, other servers would end the processes of this one.
      removeQuietly(this.#own);
      throw error;
    }
  }
}

/** True if the server of these notes ran on this host and is dead. Servers of other hosts cannot be checked. */
function isGone(folder: string): boolean {
  const [, pid, identity] = /^(\d+) (.+)$/s.exec(read(path.join(folder, SERVER)) ?? '') ?? [];
  // The server was killed before it noted itself, so it has noted nothing else.
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

/** Deletes a file and ignores errors: a note without its process is harmless. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true });
  } catch {
    // The file stays.
  }
}

/** Identity of a process: start of the system and of the process, and its pid namespace. */
export function identityOf(pid: number): string | undefined {
  const [stat, where] = [read(`/proc/${pid}/stat`), system()];
  // The name before the last ')' may contain any characters. The start is the 22nd field, the 20th after it.
  const start = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return start === undefined || where === undefined ? undefined : `${where} ${start}`;
}

/** Start of the system, with the pid namespace of the container: process ids of other namespaces differ. */
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
