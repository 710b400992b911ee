/** The detection document of a job that another service has run, from where its archive says that it lies. */
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { pipeline, Transform, type Readable } from 'node:stream';
import type { OutgoingAgents } from './agent.ts';
import { basic, NoAnswer, noAnswer, target } from './exchange.ts';

export interface ArchivedDocumentParts {
  readonly agents: OutgoingAgents;
  /** Milliseconds without a byte after which the other side is given up. */
  readonly timeoutMs: number;
  /** Of a document; a larger one is broken off. */
  readonly maxBytes: number;
  /** Of the product, for the User-Agent. */
  readonly version: string;
}

export interface ArchivedDocument {
  readonly stream: Readable;
  /** When the other side tells. */
  readonly bytes: number | undefined;
}

/**
 * Opens the document for reading, as fast as its reader takes it. Like all requests of the server it goes only to allowed
 * addresses and follows no redirection.
 * @throws NoAnswer
 */
export async function openArchivedDocument(
  { agents, timeoutMs, maxBytes, version }: ArchivedDocumentParts,
  uri: string,
): Promise<ArchivedDocument> {
  const { url, agent } = target(agents, uri);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const headers = {
    'Accept-Encoding': 'identity',
    'User-Agent': `Troupe/${version}`,
    ...basic(username, password),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const ask = url.protocol === 'https:' ? secureRequest : plainRequest;
    const call = ask(url, { agent, headers, timeout: timeoutMs });
    call.on('response', resolve);
    call.on('timeout', () => call.destroy(Object.assign(new Error('silent'), { code: 'ECONNABORTED' })));
    call.on('error', (error) => reject(noAnswer(error, { timeoutMs })));
    call.end();
  });
  const length = Number(response.headers['content-length'] ?? Number.NaN);
  const bytes = Number.isSafeInteger(length) ? length : undefined;
  const problem =
    response.statusCode !== 200
      ? `it was answered with status ${response.statusCode}`
      : (bytes ?? 0) > maxBytes
        ? `it has ${bytes} bytes; at most ${maxBytes} are fetched (MAX_ARCHIVED_DOCUMENT_BYTES)`
        : undefined;
  if (problem !== undefined) {
    response.destroy();
    throw new NoAnswer(problem, false);
  }
  const bounded = boundedBy(maxBytes);
  // What breaks off on the way ends the answer to the client before its length, or without an end.
  pipeline(response, bounded, () => undefined);
  return { stream: bounded, bytes };
}

function boundedBy(maxBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      seen += chunk.length;
      if (seen > maxBytes) done(new NoAnswer(`it has more than ${maxBytes} bytes`, true));
      else done(null, chunk);
    },
  });
}
