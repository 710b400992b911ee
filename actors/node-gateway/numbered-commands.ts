import type { NodeCommand, NumberedCommand } from './messages.ts';

export interface SentCommand {
  /** Settles when the node has carried out the command. */
  readonly done: Promise<void>;
  /** False if the command could not be stored, or this is unknown. The node may never get it. */
  readonly stored: Promise<boolean>;
  /** Settles if the store has lost the command. The node may never get it. */
  readonly lost: Promise<void>;
  /** Withdraws the command. Returns false if the node was given the command, and may carry it out. */
  withdraw(): Promise<boolean>;
}

/** Commands for a node that the node has not confirmed yet. */
export interface NodeCommands {
  /** Id of the numbering. A node with another numbering has carried out none of these commands. */
  readonly numbering: string;
  readonly all: readonly NumberedCommand[];
  add(command: NodeCommand): SentCommand;
  /** Returns all commands. None of them can be withdrawn from then on. */
  give(): Promise<readonly NumberedCommand[]>;
}

/** Commands in memory are never lost while the server runs. */
const NEVER = new Promise<void>(() => {});

/** Commands for a node of a server with its own store, in memory. */
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

  /** Settles all commands of this numbering up to this number, which the node has carried out. */
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
