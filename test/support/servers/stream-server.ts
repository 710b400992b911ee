/** An HTTP server that sends streams as cameras do: each piece when it is due; and that misbehaves as they do. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import type { TimedBytes } from '../media/coded-media.ts';

export interface StreamAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly TimedBytes[];
  /** So many times faster than the times of the pieces; Infinity: all at once. 1 when absent. */
  readonly speed?: number;
  /** Called before the piece after so many, and at last before the end: it waits for it. */
  readonly ready?: (sent: number) => Promise<unknown>;
  /** After the last piece: tell the end (usual), close the connection without it, send nothing more. */
  readonly after?: 'end' | 'drop' | 'stall';
}

export interface StreamServer {
  readonly url: string;
  /** Requests so far, and connections that are open. */
  readonly requests: readonly IncomingMessage[];
  readonly open: number;
  close(): Promise<void>;
}

/** `answerTo`: what the n-th request (from 0) is answered with; undefined: nothing, ever. */
export async function streamServer(
  answerTo: (visit: number, request: IncomingMessage) => StreamAnswer | undefined,
): Promise<StreamServer> {
  const requests: IncomingMessage[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    const answer = answerTo(requests.push(request) - 1, request);
    if (answer !== undefined) void send(answer, response);
  });
  server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/camera`,
    requests,
    get open() {
      return open;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function send(answer: StreamAnswer, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, pieces = [], speed = 1, after = 'end' } = answer;
  response.writeHead(status, { 'content-type': 'video/mp2t', ...headers });
  response.flushHeaders();
  let sent = 0;
  await sendPaced(pieces, speed, async (data) => {
    await answer.ready?.(sent++);
    return write(response, data);
  });
  await answer.ready?.(sent);
  if (after === 'drop') response.destroy();
  else if (after === 'end') response.end();
}

/** Waits for a client that does not read. False when it has gone. */
function write(response: ServerResponse, data: Buffer): Promise<boolean> | boolean {
  if (response.destroyed) return false;
  if (response.write(data)) return true;
  return waitForDrain(response);
}

/** Until more can be written; false when the other side has gone. */
export function waitForDrain(stream: Writable): Promise<boolean> {
  return new Promise((resolve) => {
    const onEnd = (): void => {
      stream.off('drain', onEnd).off('close', onEnd);
      resolve(!stream.destroyed);
    };
    stream.on('drain', onEnd).on('close', onEnd);
  });
}

/** Gives each piece when it is due, until there are none or `give` answers false. */
export async function sendPaced<D>(
  pieces: readonly { readonly dueMs: number; readonly data: D }[],
  speed: number,
  give: (data: D) => Promise<boolean> | boolean,
): Promise<void> {
  const began = performance.now();
  for (const { dueMs, data } of pieces) {
    const wait = dueMs / speed - (performance.now() - began);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (!(await give(data))) return;
  }
}

/** Pictures as parts of one answer, each in place of the one before. */
export function multipart(pictures: readonly TimedBytes[], withLength = true): StreamAnswer {
  return {
    headers: { 'content-type': 'multipart/x-mixed-replace; boundary=frame' },
    pieces: pictures.map(({ dueMs, data }) => ({
      dueMs,
      data: Buffer.concat([
        Buffer.from(
          `--frame\r\nContent-Type: image/jpeg\r\n${withLength ? `Content-Length: ${data.length}\r\n` : ''}\r\n`,
        ),
        data,
        Buffer.from('\r\n'),
      ]),
    })),
  };
}
