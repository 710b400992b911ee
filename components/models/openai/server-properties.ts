/** Reads the address of a model server, and how to request it, from a job's properties. */
import type { Properties } from '../../../domain/types.ts';
import { withoutSlash } from '../model-servers/answers.ts';
import { LONGEST_WAIT_MS, readRetries, type Retries } from '../model-servers/patience.ts';
import { countOf, invalidProperty, missingProperty } from '../../shared/tracking/settings.ts';

export interface ServerProperties extends Retries {
  /** Address without a slash at the end. */
  readonly uri: string;
  /** API key; empty if the server needs none. */
  readonly token: string;
  readonly healthUri: string;
  /** Name of the model; empty for the first one that the server lists. */
  readonly model: string;
  readonly timeoutMs: number;
}

export function readServer(properties: Properties): ServerProperties {
  const text = (name: string) => properties[name]?.trim() ?? '';
  const uri = withoutSlash(text('API_URI'));
  if (uri === '')
    throw missingProperty(
      'The API_URI property is not set: give it the address of a model server that speaks the OpenAI protocol, such as http://127.0.0.1:11434/v1.',
    );
  const healthUri = text('API_HEALTH_URI');
  for (const [name, value] of Object.entries({ API_URI: uri, API_HEALTH_URI: healthUri }))
    if (value !== '' && !/^https?:\/\//i.test(value))
      throw invalidProperty(`The ${name} property must be an http or https address.`);
  return {
    uri,
    token: text('API_TOKEN'),
    healthUri,
    model: text('LLM_MODEL'),
    timeoutMs: Math.min(countOf(properties, 'API_TIMEOUT_MS', 1), LONGEST_WAIT_MS),
    ...readRetries(properties),
  };
}
