/**
 * A server behind which packets are lost, as behind a firewall that drops them: nobody refuses a connection, and none comes about. Its process stands still,
 * and the few connections that wait for it to take them are all that the system lets wait.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LISTENS = `const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;
/** That the system lets wait with a backlog of 1. */
const WAITING = 2;

export class UnreachableServer {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #waiting: readonly Socket[];

  private constructor(port: number, child: ChildProcess, waiting: readonly Socket[]) {
    this.port = port;
    this.#process = child;
    this.#waiting = waiting;
  }

  static async start(): Promise<UnreachableServer> {
    const child = spawn(process.execPath, ['-e', LISTENS], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(String(said));
    child.kill('SIGSTOP');
    const waiting = Array.from({ length: WAITING }, () => connect(port, '127.0.0.1'));
    await Promise.all(waiting.map((socket) => once(socket, 'connect')));
    for (const socket of waiting) socket.on('error', () => undefined);
    return new UnreachableServer(port, child, waiting);
  }

  /** From then on connections are refused, or another server may take its port. */
  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
    for (const socket of this.#waiting) socket.destroy();
  }
}
