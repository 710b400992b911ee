/** Reads and checks the properties of a component that uses a language model. */
import { z } from 'zod';
import type { Properties } from '../../../domain/types.ts';
import type { FedTrack } from '../../../protocol/detection-work.ts';
import { countOf, invalidProperty, missingProperty } from '../../shared/tracking/settings.ts';
import { namedText } from './named-text.ts';
import { readServer, type ServerProperties } from './server-properties.ts';

export interface ChatSettings {
  readonly server: ServerProperties;
  /** Prompt with {NAME} for properties of the fed track. */
  readonly prompt: string;
  readonly schema: { readonly json: unknown; readonly check: z.ZodType } | undefined;
  readonly attempts: number;
  readonly maxNewTokens: number;
  readonly outputProperty: string;
}

/** Reads the settings. `roots`: the folders of MODEL_ROOTS, which contain the files that properties name. */
export async function readChat(properties: Properties, roots: readonly string[]): Promise<ChatSettings> {
  const text = (name: string) => properties[name]?.trim() ?? '';
  const file = async (name: string) => (text(name) === '' ? '' : namedText(roots, name, text(name)));
  const prompt = (await file('GENERATION_PROMPT_PATH')) || (properties['PROMPT_TEMPLATE'] ?? '');
  if (prompt.trim() === '')
    throw missingProperty('There is no question: set PROMPT_TEMPLATE, or GENERATION_PROMPT_PATH.');
  const outputProperty = text('OUTPUT_PROPERTY');
  if (outputProperty === '') throw missingProperty('The OUTPUT_PROPERTY property is not set.');
  const given = text('GENERATION_JSON_SCHEMA_PATH');
  const schema = given.startsWith('{') ? given : await file('GENERATION_JSON_SCHEMA_PATH');
  return {
    server: readServer(properties),
    prompt: withClassifiers(prompt, await file('CLASSIFIERS_FILE')),
    schema: schema === '' ? undefined : readSchema(schema),
    attempts: countOf(properties, 'GENERATION_MAX_ATTEMPTS', 1),
    maxNewTokens: countOf(properties, 'MAX_NEW_TOKENS', 1),
    outputProperty,
  };
}

/** Inserts the text literally: dollar signs in it have no special meaning. */
const withClassifiers = (prompt: string, classifiers: string) =>
  prompt.replaceAll('{CLASSIFIERS}', () => classifiers);

function readSchema(text: string): NonNullable<ChatSettings['schema']> {
  try {
    const json = JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0];
    return { json, check: z.fromJSONSchema(json) };
  } catch (error) {
    throw invalidProperty(
      `GENERATION_JSON_SCHEMA_PATH names no JSON schema that can be used: ${(error as Error).message}`,
    );
  }
}

/** Returns the prompt for a track. Names of missing properties are unchanged. */
export function promptFor(prompt: string, track: Pick<FedTrack, 'properties'> | undefined): string {
  if (track === undefined) return prompt;
  return prompt.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(track.properties, name) ? (track.properties[name] ?? whole) : whole,
  );
}
