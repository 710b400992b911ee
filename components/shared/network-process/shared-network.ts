/** A network that runs in a process which all live streams of a host share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Socket } from 'node:net';
import { MessageReader, sendMessage, type NetworkAnswer, type NetworkRequest } from './network-messages.ts';
import { loadNetwork, type Network } from '../networks/network.ts';

/** Timeout for one run, in milliseconds. Runs of many streams wait for each other, and the first one for the model. */
const RUN_MS = 20_000;
/** Number of failed attempts after which the network is loaded in this process. */
const ATTEMPTS = 2;
/** Pause after a failed attempt, in milliseconds. Meanwhile the server notices the end of the process. */
const PAUSE_MS = 250;
const CLOSED = 'The network is closed.';
/** Size of the buffer for answers. */
const READ_BYTES = 64 * 1024;

/**
 * Returns a network that runs in the process behind the socket at `path`. If that process fails twice, or `path` is undefined, the network is
 * loaded in this process.
 */
export async function loadSharedNetwork(file: string, path: string | undefined): Promise<Network> {
  if (path === undefined) return loadNetwork(file);
  const remote = new RemoteNetwork(file, path);
  // Loads the network before the first frame. After a failure, the first run tries again.
  const loading = remote.ask([]).catch(() => undefined);
  let own: Promise<Network> | undefined;
  const closing = new AbortController();
  return {
    async run(values, shape) {
      await loading;
      for (let attempt = 0; attempt < ATTEMPTS && own === undefined; attempt++) {
        if (closing.signal.aborted) throw new Error(CLOSED);
        const outputs = await remote.ask([values], shape).catch(() => undefined);
        if (outputs !== undefined) return outputs;
        await sleep(PAUSE_MS, undefined, { signal: closing.signal });
      }
      remote.close();
      own ??= loadNetwork(file);
      return (await own).run(values, shape);
    },
    async close() {
      closing.abort();
      remote.close();
      await own?.then(
        (network) => network.close(),
        () => undefined,
      );
    },
  };
}

class RemoteNetwork {
  readonly #file: string;
  readonly #path: string;
  #connection: Socket | undefined;
  #settle: { resolve(outputs: Float32Array[]): void; reject(reason: Error): void } | undefined;

  constructor(file: string, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /**
   * Runs the network. Without a shape it only loads it. Must not be called again before it has settled. Rejects if the process does not
   * answer, or cannot run the network.
   */
  async ask(input: readonly Float32Array[], shape?: readonly number[]): Promise<Float32Array[]> {
    const connection = (this.#connection ??= this.#open());
    const timer = setTimeout(() => this.close(new Error(`No answer within ${RUN_MS} ms.`)), RUN_MS);
    const answer = new Promise<Float32Array[]>((resolve, reject) => (this.#settle = { resolve, reject }));
    const request: NetworkRequest = shape === undefined ? { file: this.#file } : { file: this.#file, shape };
    sendMessage(connection, request, input);
    return answer.finally(() => clearTimeout(timer));
  }

  /** A run that waits for its answer rejects. */
  close(reason = new Error(CLOSED)): void {
    this.#connection?.destroy();
    this.#connection = undefined;
    this.#settle?.reject(reason);
  }

  #open(): Socket {
    const reader = new MessageReader(({ head, numbers }) => {
      const { lengths, error } = head as NetworkAnswer;
      if (error === undefined) this.#settle?.resolve(split(numbers, lengths));
      else this.close(new Error(error));
    });
    const fail = (reason: Error) => {
      if (connection === this.#connection) this.close(reason);
    };
    const callback = (length: number, buffer: Uint8Array) => {
      try {
        reader.read(buffer.subarray(0, length));
      } catch (error) {
        fail(error as Error);
      }
      return true;
    };
    // One buffer for all reads: new ones for each answer would fill the memory of each stream.
    const connection = connect({ path: this.#path, onread: { buffer: Buffer.alloc(READ_BYTES), callback } });
    connection.on('error', fail);
    connection.on('close', () => fail(new Error('The process of the networks has ended.')));
    return connection;
  }
}

function split(numbers: Float32Array, lengths: readonly number[]): Float32Array[] {
  let at = 0;
  return lengths.map((length) => numbers.subarray(at, (at += length)));
}
