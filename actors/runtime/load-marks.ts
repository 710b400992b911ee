import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Number of times that restoring an actor may end the server. After that, the actor is not restored again. */
const MOST_ENDS = 2;

/**
 * Marks on disk which actor is being loaded. A state that crashes or blocks the server during its load would do so at every start. A mark
 * that remains after a crash names this actor. Writing the mark and loading are one step, so only one actor is marked at a time.
 */
export class LoadMarks {
  readonly #current: string;
  readonly #counted: string;
  readonly #ends: Map<string, number>;

  /** @param folder of this server alone */
  constructor(folder: string) {
    this.#current = path.join(folder, 'restoring');
    this.#counted = path.join(folder, 'restoring-ended');
    this.#ends = new Map(Object.entries(readCounts(this.#counted)));
    const left = readText(this.#current);
    if (left === '') return;
    this.#ends.set(left, (this.#ends.get(left) ?? 0) + 1);
    this.#keep();
    write(this.#current, undefined);
  }

  /** Restores an actor or a part of it; `over` ends the restoration. @throws Error if this actor has ended the server too many times */
  runDuring<T>(actor: string, restore: () => T): T {
    const ends = this.#ends.get(actor) ?? 0;
    if (ends >= MOST_ENDS) {
      // The actor moves to quarantine and is not loaded again.
      this.#forget(actor);
      throw new Error(`The server ended, or was ended, ${ends} times while it restored this state.`);
    }
    write(this.#current, actor);
    try {
      return restore();
    } finally {
      write(this.#current, undefined);
    }
  }

  /** The server has restored the actor completely. */
  over(actor: string): void {
    this.#forget(actor);
  }

  #forget(actor: string): void {
    if (this.#ends.delete(actor)) this.#keep();
  }

  #keep(): void {
    write(this.#counted, this.#ends.size === 0 ? undefined : JSON.stringify(Object.fromEntries(this.#ends)));
  }
}

/**
 * Writes or deletes a mark. If the disk is full, the state is restored without a mark, because it is not at fault.
 */
function write(file: string, text: string | undefined): void {
  try {
    if (text === undefined) rmSync(file, { force: true });
    else writeFileSync(file, text);
  } catch {
    // See above.
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Reads the counts. A file that is incomplete because the server was killed counts as missing. */
function readCounts(file: string): Record<string, number> {
  try {
    const counts: unknown = JSON.parse(readText(file));
    return typeof counts === 'object' && counts !== null ? (counts as Record<string, number>) : {};
  } catch {
    return {};
  }
}
