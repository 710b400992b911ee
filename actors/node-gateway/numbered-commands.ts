import type { NodeCommand, NumberedCommand } from './messages.ts';

export interface SentCommand {
  /** Settles when the node has carried it out. */
  readonly done: Promise<void>;
  /** False: it could not be stored, or that is not known; the node may never be given it. */
  readonly stored: Promise<boolean>;
  /** Settles when the store turns out to have lost it: the node may never be given it. */
  readonly lost: Promise<void>;
  /** Takes it back; false: the node was given it, and may carry it out. */
  withdraw(): Promise<boolean>;
}

/** The commands for a node that it has not confirmed yet. */
export interface NodeCommands {
  /** A node that has heard of another numbering has carried out none of them. */
  readonly numbering: string;
  readonly all: readonly NumberedCommand[];
  add(command: NodeCommand): SentCommand;
  /** All of them, none of which can be withdrawn from then on. */
  give(): Promise<readonly NumberedCommand[]>;
}

/** What lies in memory is not lost while the server is there. */
const NEVER = new Promise<void>(() => {});

/** The commands for a node of a server with a store of its own: in memory. */
export class NumberedCommands implements NodeCommands {
  readonly numbering: string;
  #number: number;
  /** Number of the last command that was given to the node. */
  #given: number;
  #waiting: readonly { readonly command: NumberedCommand; done(): void }[] = [];

  /** `done`: number of the last command of this numbering that the node has carried out. */
  constructor(numbering: string, done: number) {
    this.numbering = numbering;
    this.#number = this.#given = done;
  }

  get all(): readonly NumberedCommand[] {
    return this.#waiting.map(({ command }) => command);
  }

  add(command: NodeCommand): SentCommand {
    const number = ++this.#number;
    const done = new Promise<void>((resolve) => {
      this.#waiting = [...this.#waiting, { command: { ...command, number }, done: resolve }];
    });
    return {
      done,
      stored: Promise.resolve(true),
      lost: NEVER,
      withdraw: () => Promise.resolve(this.#withdraw(number)),
    };
  }

  give(): Promise<readonly NumberedCommand[]> {
    this.#given = this.#number;
    return Promise.resolve(this.all);
  }

  /** The node has carried out all up to this number of this numbering. */
  settle(numbering: string, number: number): void {
    if (numbering !== this.numbering) return;
    for (const { command, done } of this.#waiting) if (command.number <= number) done();
    this.#waiting = this.#waiting.filter(({ command }) => command.number > number);
  }

  #withdraw(number: number): boolean {
    if (number <= this.#given) return false;
    this.#waiting = this.#waiting.filter(({ command }) => command.number !== number);
    return true;
  }
}
