/** Runs networks for other processes of this host, so that they do not load the models and the ONNX runtime. */
import { availableParallelism } from 'node:os';
import type { Socket } from 'node:net';
import { messageOf } from '../../sdk/failure.ts';
import {
  MessageReader,
  sendMessage,
  type NetworkAnswer,
  type NetworkMessage,
  type NetworkRequest,
} from './network-messages.ts';
import { NetworkThreads } from './network-threads.ts';

/** Maximum number of threads on a host with more processors. Each takes about 45 MiB, and the process has a memory limit. */
const MOST_THREADS = 16;
/** Number of threads that start with the first connections. Two streams then never wait for each other. */
const FIRST_THREADS = 2;
/** Time over which waiting runs are counted, in milliseconds. */
const WINDOW_MS = 5_000;

export class NetworkServer {
  // One run does not keep all of its processors busy. As many runs as processors do.
  readonly #threads = new NetworkThreads({
    most: Math.min(availableParallelism(), MOST_THREADS),
    windowMs: WINDOW_MS,
  });
  readonly #open = new Set<Socket>();
  #received = 0;

  /** Number of connections that this process has received, and of those that are still open. */
  get connections(): { readonly received: number; readonly open: number } {
    return { received: this.#received, open: this.#open.size };
  }

  /** Answers the requests of a connection. Each connection has one request at a time. Undefined: it was closed on its way to this process. */
  serve(connection: Socket | undefined): void {
    this.#received++;
    if (connection === undefined) return;
    this.#open.add(connection);
    this.#threads.growTo(Math.min(this.#open.size, FIRST_THREADS));
    const reader = new MessageReader((message) => void this.#answer(connection, message));
    connection.on('data', (bytes: Buffer) => {
      try {
        reader.read(bytes);
      } catch {
        connection.destroy();
      }
    });
    connection.on('error', () => undefined);
    connection.on('close', () => this.#open.delete(connection));
    connection.resume();
  }

  async #answer(connection: Socket, { head, numbers }: NetworkMessage): Promise<void> {
    try {
      const { file, shape } = head as NetworkRequest;
      const { outputs = [], error } = await this.#threads.run({ file, shape, values: numbers });
      const lengths = outputs.map(({ length }) => length);
      const answer: NetworkAnswer = error === undefined ? { lengths } : { lengths, error };
      sendMessage(connection, answer, outputs);
    } catch (error) {
      const answer: NetworkAnswer = { lengths: [], error: messageOf(error) };
      sendMessage(connection, answer, []);
    }
  }
}
