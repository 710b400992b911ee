/** The official MCP client, as agents use it: over HTTP, or through `troupe mcp`. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientOptions,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { estimateTokens } from '../../mcp/text/answer-lines.ts';
import { SHORT_LIFE } from '../support/processes/processes.ts';

const TOOL = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
/** Protocol versions: the default of clients, and the newest. */
export type Era = 'legacy' | 'auto';

export interface Said {
  readonly text: string;
  readonly isError: boolean;
  /** JPEG files. */
  readonly pictures: readonly Buffer[];
}

export class Agent {
  readonly client: Client;
  /** Number of calls so far. */
  calls = 0;
  tokens = 0;

  private constructor(client: Client) {
    this.client = client;
  }

  /** Process id of `troupe mcp`. */
  get pid(): number {
    return (this.client.transport as StdioClientTransport).pid!;
  }

  static async overHttp(url: string, token: string, era: Era = 'legacy'): Promise<Agent> {
    const headers = { Authorization: `Bearer ${token}` };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
    const client = newClient({ versionNegotiation: { mode: era } });
    await client.connect(transport);
    return new Agent(client);
  }

  /** `args`: arguments of `troupe mcp`. */
  static async overTool(
    env: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    era: Era = 'legacy',
  ): Promise<Agent> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...SHORT_LIFE, TOOL, 'mcp', ...args],
      env: { PATH: process.env['PATH'] ?? '', ...env },
      cwd: path.dirname(TOOL),
      stderr: 'pipe',
    });
    const client = newClient({ versionNegotiation: { mode: era } });
    await client.connect(transport);
    return new Agent(client);
  }

  /** Calls a tool and returns its answer. */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Said> {
    const result = await this.client.callTool({ name, arguments: { ...args } });
    const said = saidIn(result);
    this.calls += 1;
    this.tokens += estimateTokens(said.text);
    return said;
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

export function newClient(options: ClientOptions = {}): Client {
  return new Client({ name: 'test', version: '1.0.0' }, options);
}

export function saidIn({ content, isError = false }: CallToolResult): Said {
  const texts = content.flatMap((one) => (one.type === 'text' ? [one.text] : []));
  const pictures = content.flatMap((one) => (one.type === 'image' ? [Buffer.from(one.data, 'base64')] : []));
  return { text: texts.join('\n'), isError, pictures };
}
