import { Redis } from 'ioredis';

/** Sends the commands of one turn of the event loop together: each write to the socket costs more than most commands. */
export class GatheringRedis extends Redis {
  #corked: Redis['stream'] | undefined;

  override sendCommand(...words: Parameters<Redis['sendCommand']>): unknown {
    this.#gather();
    return super.sendCommand(...words);
  }

  /** Holds back what is written until the end of this turn of the event loop. */
  #gather(): void {
    const { stream } = this;
    if (stream === undefined || stream === this.#corked) return;
    this.#corked = stream;
    stream.cork();
    setImmediate(() => {
      stream.uncork();
      if (this.#corked === stream) this.#corked = undefined;
    });
  }
}
