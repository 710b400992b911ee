import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Ends of the server while it restored an actor, after which the actor is not restored again. */
const MOST_ENDS = 2;

/**
 * Notes on the disk which actor is being loaded. A state that crashes or blocks the server while it is loaded would do so at every start:
 * the note that remains names it. Writing the note and loading are one step, so only one actor is noted at a time.
 */
export class LoadMarks {
  readonly #current: string;
  readonly #counted: string;
  readonly #ends: Map<string, number>;

  /** `folder` is that of one server, which it has for itself. */
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

  /** Restores an actor, or a part of it: `over` when it has no more. @throws Error when that has ended the server too often */
  runDuring<T>(actor: string, restore: () => T): T {
    const ends = this.#ends.get(actor) ?? 0;
    if (ends >= MOST_ENDS) {
      // It goes into quarantine for this, and is not asked for again.
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

  /** The server has lived through all of it. */
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
 * Writes a note, or removes it. A full disk is no fault of the state: it is restored without a note then, and does not go into quarantine.
 */
function write(file: string, text: string | undefined): void {
  try {
    if (text === undefined) rmSync(file, { force: true });
    else writeFileSync(file, text);
  } catch {
    // As above.
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A file that was cut off when the server was killed counts as none. */
function readCounts(file: string): Record<string, number> {
  try {
    const counts: unknown = JSON.parse(readText(file));
    return typeof counts === 'object' && counts !== null ? (counts as Record<string, number>) : {};
  } catch {
    return {};
  }
}
