import type { Family } from '../runtime/system.ts';
import { PAUSES } from './actor.ts';
import type { PauseKind, PausesCommand, PausesReply } from './model.ts';
import type { PauseBook } from './pause-book.ts';

/** Where operators pause and resume. */
export class Pauses {
  readonly book: PauseBook;
  readonly #family: Family<PausesCommand, PausesReply>;

  readonly #changed: () => void;

  /** @param changed tells other servers that they have to read what is stored */
  constructor(family: Family<PausesCommand, PausesReply>, book: PauseBook, changed: () => void) {
    this.#family = family;
    this.book = book;
    this.#changed = changed;
  }

  /** Reads what is stored; settles when this server goes by it. */
  async read(): Promise<void> {
    await this.#family.ask(PAUSES, { type: 'read' });
  }

  /** Looks for what other servers have changed. */
  look(): void {
    this.#family.tell(PAUSES, { type: 'read' });
  }

  /** Running work goes on. To pause twice is to pause once. */
  pause(kind: PauseKind, name: string, by: string): Promise<PausesReply> {
    return this.#change({ type: 'pause', kind, name, by });
  }

  resume(kind: PauseKind, name: string): Promise<PausesReply> {
    return this.#change({ type: 'resume', kind, name });
  }

  async #change(command: PausesCommand): Promise<PausesReply> {
    const reply = await this.#family.ask(PAUSES, command);
    this.#changed();
    return reply;
  }
}
