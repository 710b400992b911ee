import { randomUUID } from 'node:crypto';
import { StoreAway } from '../../../store/store.ts';
import type { StoredLink } from '../../node-manager/node-state.ts';
import type { NodeCommand, NumberedCommand } from '../messages.ts';
import type { NodeCommands, SentCommand } from '../numbered-commands.ts';

/**
 * Changes the stored state of one start of a node, and shows it. Returns undefined if nothing was changed, or that start is no longer
 * stored.
 */
export type ChangeLink = (
  next: (link: StoredLink) => StoredLink | undefined,
) => Promise<StoredLink | undefined>;

const commandsOf = ({ commands }: StoredLink) => commands as unknown as readonly NumberedCommand[];

/** A command whose end a caller waits for. */
interface Awaited {
  readonly number: number;
  readonly numbering: string;
  done(): void;
  onLost(): void;
}

/** The commands for a node of servers that share a store. Any server adds commands, and any server sends them to the node. */
export class StoredCommands implements NodeCommands {
  readonly #change: ChangeLink;
  #link: StoredLink;
  /** Callers that wait for the end of a command, by its id. Numbers may change or repeat after the store has lost commits. */
  readonly #waiting = new Map<string, Awaited>();

  constructor(link: StoredLink, change: ChangeLink) {
    this.#link = link;
    this.#change = change;
  }

  get numbering(): string {
    return this.#link.numbering;
  }

  get all(): readonly NumberedCommand[] {
    return commandsOf(this.#link);
  }

  /** Updates the state, and ends the waits for commands that are no longer open. */
  show(link: StoredLink): void {
    this.#link = link;
    const open = new Map(link.commands.map((command) => [command['id'], command]));
    const numbers = new Set(link.commands.map(({ number }) => number));
    for (const [id, awaited] of [...this.#waiting]) {
      const command = open.get(id);
      this.#waiting.delete(id);
      if (command !== undefined)
        this.#waiting.set(id, { ...awaited, number: command.number, numbering: link.numbering });
      else if (
        awaited.numbering === link.numbering &&
        awaited.number <= link.number &&
        !numbers.has(awaited.number)
      )
        awaited.done();
      // It is unknown whether the command was carried out.
      else awaited.onLost();
    }
  }

  /** Adds a command. If it cannot be stored, `done` never settles, and there is nothing to withdraw. */
  add(command: NodeCommand): SentCommand {
    const id = randomUUID();
    let number: number | undefined;
    let withdrawn = false;
    const changed = this.#change((link) => {
      if (withdrawn) return undefined;
      number = link.number + 1;
      return { ...link, number, commands: [...link.commands, { ...command, number, id }] };
    });
    const ends = { done() {}, onLost() {} };
    const done = new Promise<void>((resolve) => (ends.done = resolve));
    const lost = new Promise<void>((resolve) => (ends.onLost = resolve));
    const wait = (link: StoredLink | undefined) => {
      if (link !== undefined) {
        const { number: last, numbering } = link;
        this.#waiting.set(id, { number: last, numbering, ...ends });
      }
      // The node may already have carried out the command.
      this.show(this.#link);
    };
    changed.then(wait, (error: unknown) => {
      // It is unknown whether a store that does not answer has stored the command.
      if (!(error instanceof StoreAway)) number = undefined;
    });
    return {
      done,
      lost,
      stored: changed.then(
        (link) => link !== undefined,
        () => false,
      ),
      withdraw: () => {
        withdrawn = true;
        return number === undefined ? Promise.resolve(true) : this.#withdraw(id);
      },
    };
  }

  async give(): Promise<readonly NumberedCommand[]> {
    const last = this.all.at(-1)?.number ?? 0;
    if (last <= this.#link.given) return this.all;
    const link = await this.#change((before) => ({ ...before, given: before.number }));
    return link === undefined ? [] : commandsOf(link);
  }

  async #withdraw(id: string): Promise<boolean> {
    this.#waiting.delete(id);
    let isWithdrawn = false;
    const stored = this.#change((link) => {
      const number = link.commands.find((one) => one['id'] === id)?.number ?? 0;
      isWithdrawn = number > link.given;
      return isWithdrawn ? { ...link, commands: link.commands.filter((one) => one['id'] !== id) } : undefined;
    });
    return (await stored.catch(() => undefined)) !== undefined && isWithdrawn;
  }
}
