import { json, text } from 'node:stream/consumers';
import type { SyncAnswer, SyncRequest } from '../actors/node-gateway/messages.ts';
import { agentFor, exchange } from '../egress/node-http.ts';

/** The server answered with an error status. */
export class ServerRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Time without a byte, in addition to the requested wait, after which the connection counts as broken. */
const LATE_MS = 10_000;

/** Messages to the server, one at a time. */
export class ServerExchange {
  readonly #url: string;
  readonly #agent: ReturnType<typeof agentFor>;

  constructor(server: string, node: string) {
    const base = server.replace(/\/+$/, '');
    this.#url = `${base}/node/v1/${encodeURIComponent(node)}/sync`;
    this.#agent = agentFor(base);
  }

  /** @throws ServerRefusal; any other error if the server cannot be reached or the wait was aborted */
  async send(message: SyncRequest, token: string, signal: AbortSignal): Promise<SyncAnswer> {
    const answer = await exchange(this.#agent, this.#url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal,
      silenceMs: message.waitMs + LATE_MS,
    });
    const { statusCode = 0 } = answer;
    if (statusCode === 200) return (await json(answer)) as SyncAnswer;
    throw new ServerRefusal(statusCode, sentenceOf(statusCode, await text(answer)));
  }

  close(): void {
    this.#agent.destroy();
  }
}

function sentenceOf(status: number, body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // A proxy has answered with its own text.
  }
  return `The server answered ${status}${status === 404 ? ': it is no server of Troupe, or knows no nodes on other hosts' : ''}.`;
}
