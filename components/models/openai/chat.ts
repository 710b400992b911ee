/** Sends one question to a language model, with or without a picture, until its answer matches the schema. */
import { z } from 'zod';
import type { Properties } from '../../../domain/types.ts';
import { DetectionError, type DetectionJob } from '../../sdk/detector.ts';
import type { ModelServer } from './server.ts';
import type { ChatSettings } from './settings.ts';

/** Answer of a server; other fields are ignored. */
const completion = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullable() }), finish_reason: z.unknown() }))
    .min(1),
  usage: z
    .object({ prompt_tokens: z.number().optional(), completion_tokens: z.number().optional() })
    .nullish(),
});
const modelList = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: unknown;
}

export interface Asked {
  readonly text: string;
  /** JPEG. */
  readonly picture?: Buffer;
}

/** Maximum number of properties from an answer, which may have any names. Further ones are left out. */
const MOST_PROPERTIES = 100;

export class Chat {
  readonly #server: ModelServer;
  readonly #settings: ChatSettings;
  readonly #job: DetectionJob;
  #model: string | undefined;

  constructor(server: ModelServer, settings: ChatSettings, job: DetectionJob) {
    this.#server = server;
    this.#settings = settings;
    this.#job = job;
  }

  /** Returns the answer as properties. Throws NETWORK_ERROR, or DETECTION_FAILED if no answer matches. */
  async ask(asked: Asked): Promise<Properties> {
    const { attempts, schema } = this.#settings;
    const messages: Message[] = [{ role: 'user', content: contentOf(asked) }];
    let objection = '';
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { content, tokens } = await this.#complete(messages);
      if (schema === undefined) return { [this.#settings.outputProperty]: content, ...tokens };
      const read = answerIn(content, schema.check);
      if ('value' in read) return { ...this.#propertiesOf(read.value), ...tokens };
      objection = read.objection;
      messages.push({ role: 'assistant', content });
      messages.push({
        role: 'user',
        content: `This answer does not fit the JSON schema: ${objection}. Answer again.`,
      });
    }
    throw new DetectionError(
      'DETECTION_FAILED',
      `No answer of the model fitted the JSON schema in ${attempts} attempts (GENERATION_MAX_ATTEMPTS): ${objection}.`,
    );
  }

  async #complete(messages: readonly Message[]): Promise<{ content: string; tokens: Properties }> {
    const { server, maxNewTokens, schema } = this.#settings;
    const body = {
      model: (this.#model ??= await this.#modelName()),
      messages,
      max_tokens: maxNewTokens,
      temperature: 0,
      ...(schema === undefined
        ? {}
        : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: schema.json } } }),
    };
    const question = { method: 'POST', path: '/chat/completions', body: JSON.stringify(body) } as const;
    const { choices, usage } = parseShape(completion, await this.#server.ask(question, server, this.#job));
    const [{ message, finish_reason: end } = { message: { content: null }, finish_reason: '' }] = choices;
    if (end === 'length')
      this.#job.warn?.(`Answers of the model were cut off after MAX_NEW_TOKENS (${maxNewTokens}). Raise it.`);
    const [prompt, answer] = [usage?.prompt_tokens, usage?.completion_tokens];
    const tokens = {
      ...(prompt === undefined ? {} : { PROMPT_TOKENS: String(prompt) }),
      ...(answer === undefined ? {} : { COMPLETION_TOKENS: String(answer) }),
    };
    return { content: (message.content ?? '').trim(), tokens };
  }

  async #modelName(): Promise<string> {
    const { server } = this.#settings;
    if (server.healthUri !== '') await this.#server.healthy(server, this.#job);
    if (server.model !== '') return server.model;
    const answer = await this.#server.ask({ method: 'GET', path: '/models' }, server, this.#job);
    return parseShape(modelList, answer).data[0]!.id;
  }

  #propertiesOf(value: unknown): Properties {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { [this.#settings.outputProperty]: textOf(value) };
    const named = Object.entries(value).slice(0, MOST_PROPERTIES);
    return Object.fromEntries(named.map(([name, one]) => [propertyName(name), textOf(one)]));
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const propertyName = (name: string) =>
  name
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .slice(0, 100);

function contentOf({ text, picture }: Asked): unknown {
  if (picture === undefined) return text;
  const url = `data:image/jpeg;base64,${picture.toString('base64')}`;
  return [
    { type: 'text', text },
    { type: 'image_url', image_url: { url } },
  ];
}

export function parseShape<T>(schema: z.ZodType<T>, answer: unknown): T {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  throw new DetectionError(
    'NETWORK_ERROR',
    `The answer of the model server does not follow the OpenAI protocol (${z.prettifyError(read.error).split('\n')[0]}).`,
  );
}

/** Parses an answer. Models often put their JSON into a code fence. */
function answerIn(content: string, check: z.ZodType): { value: unknown } | { objection: string } {
  const [, ...fenced] = content.startsWith('```') ? content.split('\n') : [];
  const bare = fenced.at(-1)?.trim() === '```' ? fenced.slice(0, -1).join('\n') : content;
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch {
    return { objection: 'it is no JSON' };
  }
  const read = check.safeParse(value);
  if (read.success) return { value: read.data };
  return { objection: z.prettifyError(read.error).replaceAll(/\s+/g, ' ').slice(0, 500) };
}
