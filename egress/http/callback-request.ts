/** Sends a callback or archive post with superagent: one attempt, with limits of time and bytes. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { OutgoingAgents } from './agent.ts';
import { takeCredentials } from './credentials.ts';
import { answerOf, httpUrl, type Answer, type ExchangeRequest } from './exchange.ts';
import { codeOf, noAnswer, stopWhenUnwanted, tooLate } from './no-answer.ts';

/** The parts of an answer received so far. */
interface Got {
  response?: IncomingMessage;
  readonly chunks: Buffer[];
  connected: boolean;
}

type Library = typeof import('superagent');

/** Like `exchange`. @throws NoAnswer */
export async function sendCallback(agents: OutgoingAgents, request: ExchangeRequest): Promise<Answer> {
  const { timeoutMs, maxBytes, signal } = request;
  // Loaded for the first callback, because many servers send none.
  const { default: superagent } = await import('superagent');
  const got: Got = { chunks: [], connected: false };
  let abort = (): void => undefined;
  try {
    if (signal?.aborted === true) throw stopWhenUnwanted();
    const call = prepareMedium(superagent, agents, request, got);
    abort = () => void call.abort();
    signal?.addEventListener('abort', abort, { once: true });
    await call;
    return boundedAnswer(got, maxBytes);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ETOOLARGE') return boundedAnswer(got, maxBytes);
    if (code === 'ABORTED') throw stopWhenUnwanted();
    throw code === 'ECONNABORTED' ? tooLate(timeoutMs, got.connected) : noAnswer(error, timeoutMs);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Prepares the request. The library sends it when the caller awaits it. */
function prepareMedium(superagent: Library, agents: OutgoingAgents, request: ExchangeRequest, got: Got) {
  const url = httpUrl(request.url);
  const agent = agents.agentFor(url);
  const authorization = takeCredentials(url);
  const call = superagent(request.method, url.href)
    .agent(agent)
    .redirects(0)
    .ok(() => true)
    .timeout({ deadline: request.timeoutMs })
    .maxResponseSize(request.maxBytes)
    .buffer(true)
    .parse((response: unknown, done: (error: Error | null, body: unknown) => void) => {
      const stream = response as IncomingMessage;
      got.response = stream;
      stream.on('data', (chunk: Buffer) => got.chunks.push(chunk));
      stream.on('end', () => done(null, null));
    });
  call.once('request', () => whenConnected(call, () => (got.connected = true)));
  // Compressed answers could expand to any size.
  call.set({ 'Accept-Encoding': 'identity', ...authorization, ...request.headers });
  if (request.body !== undefined) call.type(request.contentType ?? 'application/json').send(request.body);
  return call;
}

/** Calls `then` once connected. A receiver that does not answer before may not exist at all. */
function whenConnected(call: unknown, then: () => void): void {
  (call as { readonly req: ClientRequest }).req.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', then);
    else then();
  });
}

function boundedAnswer({ response, chunks }: Got, maxBytes: number): Answer {
  const { statusCode = 0, headers = {} } = response ?? {};
  return answerOf({ statusCode, headers }, Buffer.concat(chunks), maxBytes);
}
