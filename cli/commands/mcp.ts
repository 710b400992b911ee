/** `troupe mcp`: the tools for agents over standard input and output. */
import { finished } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { readInfo } from '../../config/info.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { ClientError, UnreachableError } from '../../client/errors.ts';
import { Refusal, targetOf, type Rest, type RestAnswer, type RestCall } from '../../mcp/rest.ts';
import { mcpServer } from '../../mcp/server.ts';
import { explain, Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { clientOf } from './resources/command.ts';

export interface McpOptions {
  readonly url?: string;
  /** Offer the tools that create and cancel jobs. */
  readonly write?: boolean;
}

/** Serves the tools until the client closes standard input. */
export async function mcp(options: McpOptions, terminal: Terminal): Promise<void> {
  const rest = new ServiceRest(() => clientOf(options, terminal));
  const onError = (error: unknown) => terminal.note(explain(error));
  const { version } = readInfo();
  const handle = serveStdio(() => mcpServer({ rest, version, onError, canWrite: options.write === true }), {
    onerror: onError,
  });
  await finished(process.stdin, { writable: false }).catch(() => undefined);
  await handle.close();
}

/** The REST interface of the running service. The service may start after the MCP client, and may restart at another address. */
class ServiceRest implements Rest {
  readonly #find: () => Promise<RestClient>;
  #client: RestClient | undefined;

  constructor(find: () => Promise<RestClient>) {
    this.#find = find;
  }

  get pageUrl(): string {
    return this.#client?.url ?? '';
  }

  async ask(call: RestCall, signal: AbortSignal): Promise<RestAnswer> {
    try {
      return await this.#askWhereItRuns(call, signal);
    } catch (error) {
      if (error instanceof ClientError || error instanceof Failure) throw new Refusal(error.message);
      throw error;
    }
  }

  async #askWhereItRuns(call: RestCall, signal: AbortSignal): Promise<RestAnswer> {
    const known = this.#client;
    try {
      return await answerOf((this.#client ??= await this.#find()), call, signal);
    } catch (error) {
      if (!(error instanceof UnreachableError) || known === undefined) throw error;
      // The service may have restarted at another address.
      this.#client = undefined;
      return answerOf((this.#client = await this.#find()), call, signal);
    }
  }
}

async function answerOf(client: RestClient, call: RestCall, signal: AbortSignal): Promise<RestAnswer> {
  const path = targetOf(call);
  if (call.method === 'POST') {
    // Other POST requests may be repeated, but a retry must not create a second job.
    const once = call.path === '/rest/jobs' ? { once: 'job' } : {};
    const body = call.body === undefined ? {} : { body: JSON.stringify(call.body), ...once };
    const { status, text } = await client.ask({ method: 'POST', path, ...body }, signal);
    return { status, bytes: Buffer.from(text) };
  }
  const { status, text, stream } = await client.ask({ method: 'GET', path, streamed: true }, signal);
  return { status, bytes: stream === undefined ? Buffer.from(text) : await buffer(stream) };
}
