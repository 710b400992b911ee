/** Runs networks for other processes of this host, so that each model and the ONNX runtime are loaded once for all of them. */
import type { Socket } from 'node:net';
import { messageOf } from '../../sdk/failure.ts';
import {
  MessageReader,
  sendMessage,
  type NetworkAnswer,
  type NetworkMessage,
  type NetworkRequest,
} from './network-messages.ts';
import { loadNetwork, type Network } from '../networks/network.ts';

export class NetworkServer {
  readonly #networks = new Map<string, Promise<Network>>();
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
      const outputs = await (await this.#network(file)).run(numbers, shape);
      const answer: NetworkAnswer = { lengths: outputs.map(({ length }) => length) };
      sendMessage(connection, answer, outputs);
    } catch (error) {
      const answer: NetworkAnswer = { lengths: [], error: messageOf(error) };
      sendMessage(connection, answer, []);
    }
  }

  #network(file: string): Promise<Network> {
    const known = this.#networks.get(file);
    if (known !== undefined) return known;
    const loading = loadNetwork(file);
    this.#networks.set(file, loading);
    // The next request tries again.
    loading.catch(() => this.#networks.delete(file));
    return loading;
  }
}
