import type { Family } from '../runtime/system.ts';
import { PAUSES } from './actor.ts';
import type { PauseKind, PausesCommand, PausesReply } from './model.ts';
import type { PauseBook } from './pause-book.ts';

/** Entry point for operators who pause and resume. */
export class Pauses {
  readonly book: PauseBook;
  readonly #family: Family<PausesCommand, PausesReply>;

  readonly #changed: () => void;

  /** @param changed tells other servers to read the stored pauses again */
  constructor(family: Family<PausesCommand, PausesReply>, book: PauseBook, changed: () => void) {
    this.#family = family;
    this.book = book;
    this.#changed = changed;
  }

  /** Reads the stored pauses. Resolves when they are effective on this server. */
  async read(): Promise<void> {
    await this.#family.ask(PAUSES, { type: 'read' });
  }

  /** Checks for changes of other servers. */
  look(): void {
    this.#family.tell(PAUSES, { type: 'read' });
  }

  /** Pauses. Running work continues. A second pause has no effect. */
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
