import type { StoredLink } from '../node-manager/node-state.ts';
import type { NodeCommand, NumberedCommand } from './messages.ts';
import type { NodeCommands, SentCommand } from './numbered-commands.ts';

/** Changes what is stored of one start of a node, and shows it; undefined: nothing was changed, or that start is not there any more. */
export type ChangeLink = (
  next: (link: StoredLink) => StoredLink | undefined,
) => Promise<StoredLink | undefined>;

const commandsOf = ({ commands }: StoredLink) => commands as unknown as readonly NumberedCommand[];

/** Of servers that share a store: any of them adds commands, and any of them gives them to the node. */
export class StoredCommands implements NodeCommands {
  readonly #change: ChangeLink;
  #link: StoredLink;
  /** Who waits for the end of a command, by its number. */
  readonly #waiting = new Map<number, () => void>();

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

  /** This is how it stands. */
  show(link: StoredLink): void {
    this.#link = link;
    const open = new Set(this.all.map(({ number }) => number));
    for (const [number, done] of this.#waiting) {
      if (number > link.number || open.has(number)) continue;
      this.#waiting.delete(number);
      done();
    }
  }

  /** Whoever waits for its end notices when it could not be stored: it never comes, and there is nothing to withdraw. */
  add(command: NodeCommand): SentCommand {
    let number: number | undefined;
    let withdrawn = false;
    const done = new Promise<void>((resolve) => {
      const stored = this.#change((link) => {
        if (withdrawn) return undefined;
        number = link.number + 1;
        return { ...link, number, commands: [...link.commands, { ...command, number }] };
      });
      const wait = (link: StoredLink | undefined) => {
        if (link !== undefined && number !== undefined) this.#waiting.set(number, resolve);
        // It may have been carried out before it was known here.
        this.show(this.#link);
      };
      stored.then(wait, () => (number = undefined));
    });
    return {
      done,
      withdraw: () => {
        withdrawn = true;
        return number === undefined ? Promise.resolve(true) : this.#withdraw(number);
      },
    };
  }

  async give(): Promise<readonly NumberedCommand[]> {
    const last = this.all.at(-1)?.number ?? 0;
    if (last <= this.#link.given) return this.all;
    const link = await this.#change((before) => ({ ...before, given: before.number }));
    return link === undefined ? [] : commandsOf(link);
  }

  /** Whoever takes the node's message in has stored it. */
  settle(): void {}

  async #withdraw(number: number): Promise<boolean> {
    this.#waiting.delete(number);
    let isWithdrawn = false;
    const stored = this.#change((link) => {
      isWithdrawn = number > link.given;
      return isWithdrawn
        ? { ...link, commands: link.commands.filter((one) => one.number !== number) }
        : undefined;
    });
    return (await stored.catch(() => undefined)) !== undefined && isWithdrawn;
  }
}
