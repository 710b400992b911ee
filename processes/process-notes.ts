/** Which processes run, noted in files: a server that was killed cannot end them, so the next one does. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Notes of the processes that this server has started, each the leader of its group. Components end by themselves when the server is gone;
 * any other command may not care. A process is told by its id, its start and the start of the system, so that nobody
 * else's is ended that was given the same id. Needs /proc: where there is none (macOS), nothing is noted.
 */
export class ProcessNotes {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Best effort: a process that cannot be noted, on a full disk, runs all the same. */
  add(pid: number): void {
    const identity = identityOf(pid);
    if (identity === undefined) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(this.#fileOf(pid), identity, { mode: 0o600 });
    } catch {
      // It ends with the server unless that is killed.
    }
  }

  remove(pid: number): void {
    try {
      rmSync(this.#fileOf(pid), { force: true });
    } catch {
      // A note without its process harms nobody.
    }
  }

  /** Before this server starts any: ends what an earlier one has left running, with its group; answers the process ids. */
  endLeftovers(): readonly number[] {
    const ended: number[] = [];
    for (const name of this.#noted()) {
      const pid = Number(name);
      const identity = identityOf(pid);
      if (identity !== undefined && identity === this.#read(pid) && killGroup(pid)) ended.push(pid);
      this.remove(pid);
    }
    return ended;
  }

  #noted(): readonly string[] {
    try {
      return readdirSync(this.#folder).filter((name) => /^[1-9]\d*$/.test(name));
    } catch {
      return [];
    }
  }

  #read(pid: number): string | undefined {
    try {
      return readFileSync(this.#fileOf(pid), 'utf8');
    } catch {
      return undefined;
    }
  }

  #fileOf(pid: number): string {
    return path.join(this.#folder, String(pid));
  }
}

/** Start of the system and of the process: no other process has had both with this id. */
function identityOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before the last ')' may hold anything; the start is the 22nd field, the 20th after it.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return start === undefined ? undefined : `${boot} ${start}`;
  } catch {
    return undefined;
  }
}

function killGroup(pid: number): boolean {
  try {
    process.kill(-pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
