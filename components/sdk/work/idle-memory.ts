/**
 * Gives back the memory of large pictures while a process waits for work: V8 collects garbage only while something happens, so the last
 * picture would stay until the next one comes.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds without work after which there is time for it. */
const AFTER_MS = 1_000;
/** Bytes outside of the heap of JavaScript that are worth a collection, which takes some tens of milliseconds. */
const WORTH_BYTES = 48 * 1024 ** 2;

export class IdleMemory {
  #hasWorked = false;
  #collect: (() => void) | undefined;

  noteWork(): void {
    this.#hasWorked = true;
  }

  /** The process waits for work until the answer is called. */
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
    // Some memory is only let go of by what runs after a collection.
    setImmediate(this.#collect);
  }
}

/** Node has no other way to ask for a collection. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => collect();
}
