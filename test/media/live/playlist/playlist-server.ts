/** A server of playlists and segments that records the requests. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { LiveCounts } from '../../../../media/live/counters.ts';
import { batchHashes, type Seen } from '../live-watching.ts';

const servers: Server[] = [];

export function closePlaylists(): void {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
}

/** Answers by path; undefined: 404. A text that begins with http is a redirect. */
export async function servePlaylist(answerTo: (path: string, visit: number) => string | Buffer | undefined) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const answer = answerTo(path, asked.push(path) - 1);
    if (answer === undefined) response.writeHead(404).end();
    else if (typeof answer === 'string' && answer.startsWith('http'))
      response.writeHead(302, { location: answer }).end();
    else sendPart(Buffer.from(answer), request.headers.range, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function sendPart(bytes: Buffer, range: string | undefined, response: ServerResponse): void {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (first === undefined) response.end(bytes);
  else response.writeHead(206).end(bytes.subarray(Number(first), Number(last) + 1));
}

/**
 * Expects that all frames were decoded, and that each delivered frame equals that of the file. A busy machine
 * may drop some.
 */
export async function expectAll(file: string, frames: readonly Seen[], counts: LiveCounts): Promise<void> {
  const hashes = await batchHashes(file);
  expect(counts.decoded).to.equal(hashes.length);
  expect(frames.map(({ md5 }) => md5)).to.deep.equal(frames.map(({ index }) => hashes[index]));
  expect(frames.length + counts.dropped).to.equal(hashes.length);
}
