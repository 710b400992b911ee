import type { NodeCommand, NumberedCommand } from './messages.ts';

export interface SentCommand {
  /** Settles when the node has carried it out. */
  readonly done: Promise<void>;
  /** Takes it back; false: the node was given it, and may carry it out. */
  withdraw(): boolean;
}

/** What a node is to do, until it has told that it did. */
export class NumberedCommands {
  #number: number;
  /** Number of the last command that was given to the node. */
  #given: number;
  #waiting: readonly { readonly command: NumberedCommand; done(): void }[] = [];

  /** `done`: number of the last command of this server that the node has carried out. */
  constructor(done: number) {
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
    return { done, withdraw: () => this.#withdraw(number) };
  }

  /** All of them, none of which can be withdrawn from then on. */
  give(): readonly NumberedCommand[] {
    this.#given = this.#number;
    return this.all;
  }

  /** The node has carried out all up to this number. */
  settle(number: number): void {
    for (const { command, done } of this.#waiting) if (command.number <= number) done();
    this.#waiting = this.#waiting.filter(({ command }) => command.number > number);
  }

  #withdraw(number: number): boolean {
    if (number <= this.#given) return false;
    this.#waiting = this.#waiting.filter(({ command }) => command.number !== number);
    return true;
  }
}
