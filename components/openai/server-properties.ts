/** Where a model server is and how it is asked, of the properties of a job. */
import type { Properties } from '../../domain/types.ts';
import { DetectionError } from '../sdk/detector.ts';
import { countOf } from '../tracking/settings.ts';

/** The longest that timers can wait. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export interface ServerProperties {
  /** Without a slash at its end. */
  readonly uri: string;
  /** Empty: the server wants none. */
  readonly token: string;
  readonly healthUri: string;
  /** Empty: the first that the server names. */
  readonly model: string;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export function readServer(properties: Properties): ServerProperties {
  const text = (name: string) => properties[name]?.trim() ?? '';
  const uri = withoutSlash(text('API_URI'));
  if (uri === '')
    throw new DetectionError(
      'MISSING_PROPERTY',
      'The API_URI property is not set: give it the address of a model server that speaks the OpenAI protocol, such as http://127.0.0.1:11434/v1.',
    );
  const healthUri = text('API_HEALTH_URI');
  for (const [name, value] of Object.entries({ API_URI: uri, API_HEALTH_URI: healthUri }))
    if (value !== '' && !/^https?:\/\//i.test(value))
      throw new DetectionError('INVALID_PROPERTY', `The ${name} property must be an http or https address.`);
  return {
    uri,
    token: text('API_TOKEN'),
    healthUri,
    model: text('LLM_MODEL'),
    timeoutMs: Math.min(countOf(properties, 'API_TIMEOUT_MS', 1), LONGEST_WAIT_MS),
    attempts: orDefault(properties, 'COMPONENT_HTTP_RETRY_MAX_ATTEMPTS', 10, 1),
    firstDelayMs: orDefault(properties, 'COMPONENT_HTTP_RETRY_INITIAL_DELAY_MS', 200, 0),
    maxDelayMs: orDefault(properties, 'COMPONENT_HTTP_RETRY_MAX_DELAY_MS', 30_000, 0),
  };
}

function withoutSlash(uri: string): string {
  let end = uri.length;
  while (uri[end - 1] === '/') end--;
  return uri.slice(0, end);
}

/** Properties of the workflow, which a component that is asked by itself is not given. */
function orDefault(properties: Properties, name: string, usual: number, least: number): number {
  return properties[name] === undefined ? usual : countOf(properties, name, least);
}
