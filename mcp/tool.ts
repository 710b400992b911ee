import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { jsonOf, Refusal, type Rest, type RestAnswer, type RestCall } from './rest.ts';

export interface ToolDeps {
  readonly rest: Rest;
  /** Called for errors that no agent can have caused. */
  readonly onError: (error: unknown) => void;
}

/** One call of a tool. */
export interface ToolCall {
  readonly pageUrl: () => string;
  /** Aborted when the client disconnects or cancels. */
  readonly signal: AbortSignal;
  /** Returns the JSON of a successful answer. @throws Refusal */
  json<T>(path: string, query?: RestCall['query']): Promise<T>;
  ask(call: RestCall): Promise<RestAnswer>;
  /** Undefined if the client does not want progress. */
  readonly progress?: (percent: number, message: string) => Promise<void>;
}

interface Declared<S extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  /** Absent if the tool only reads. */
  readonly writes?: { readonly destructive: boolean };
  run(args: z.output<S>, call: ToolCall): Promise<CallToolResult>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly isReadOnly: boolean;
  register(server: McpServer, deps: ToolDeps): void;
}

/** Creates a tool from its declaration. */
export function tool<const S extends z.ZodObject>(declared: Declared<S>): Tool {
  const { name, title, description, input, writes, run } = declared;
  // Strict, because a misspelled filter would select everything.
  const inputSchema = input.strict();
  const annotations = {
    readOnlyHint: writes === undefined,
    destructiveHint: writes?.destructive ?? false,
    openWorldHint: false,
  };
  return {
    ...{ name, title, description, input },
    isReadOnly: writes === undefined,
    register: (server, deps) => {
      const respond = async (args: unknown, ctx: ServerContext): Promise<CallToolResult> => {
        try {
          // The library has validated the arguments with `input`.
          return await run(args as z.output<S>, callOf(deps, ctx));
        } catch (error) {
          if (error instanceof Refusal) return refusalOf(error.message);
          if (!ctx.mcpReq.signal.aborted) deps.onError(error);
          return refusalOf('An unexpected error occurred. The log of the server has more.');
        }
      };
      server.registerTool<z.ZodObject, z.ZodObject>(
        name,
        { title, description, inputSchema, annotations },
        respond,
      );
    },
  };
}

function callOf({ rest }: ToolDeps, { mcpReq }: ServerContext): ToolCall {
  const { signal } = mcpReq;
  const token = mcpReq['_meta']?.progressToken;
  const ask = (call: RestCall) => rest.ask(call, signal);
  const call: ToolCall = {
    pageUrl: () => rest.pageUrl,
    signal,
    ask,
    json: async <T>(path: string, query?: RestCall['query']) =>
      jsonOf(await ask({ method: 'GET', path, ...(query === undefined ? {} : { query }) })) as T,
  };
  if (token === undefined) return call;
  const progress = (percent: number, message: string) =>
    mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress: percent, total: 100, message },
    });
  return { ...call, progress };
}

export const textAnswer = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

const refusalOf = (message: string): CallToolResult => ({ ...textAnswer(message), isError: true });
