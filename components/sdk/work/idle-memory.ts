/**
 * Frees the memory of large pictures while a process waits for work. V8 collects garbage only during activity, so the last picture would
 * stay in memory until the next one.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Idle time in milliseconds after which memory is freed. */
const AFTER_MS = 1_000;
/** Minimum number of bytes outside the JavaScript heap for a collection, which takes some tens of milliseconds. */
const WORTH_BYTES = 48 * 1024 ** 2;

export class IdleMemory {
  #hasWorked = false;
  #collect: (() => void) | undefined;

  noteWork(): void {
    this.#hasWorked = true;
  }

  /** Starts an idle period. It ends when the returned function is called. */
  startWaiting(): () => void {
    if (!this.#hasWorked) return () => undefined;
    const timer = setTimeout(() => this.#release(), AFTER_MS);
    return () => clearTimeout(timer);
  }

  #release(): void {
    this.#hasWorked = false;
    if (process.memoryUsage().external < WORTH_BYTES) return;
    this.#collect ??= collector();
    this.#collect();
    // Some memory is only freed by finalizers after a first collection.
    setImmediate(this.#collect);
  }
}

/** Returns the garbage collector, which Node exposes only in this way. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => collect();
}
