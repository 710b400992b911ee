/** Reads the address of a served model, and how to request it, from a job's properties. */
import type { Properties } from '../../../domain/types.ts';
import { withoutSlash } from '../model-servers/answers.ts';
import { LONGEST_WAIT_MS, readRetries, type Retries } from '../model-servers/patience.ts';
import { DetectionError } from '../../sdk/detector.ts';
import { countOf } from '../../shared/tracking/settings.ts';

/** A model on a server. */
export interface ServedModel extends Retries {
  /** The part of addresses before /v2. */
  readonly server: string;
  /** API key; empty if the server needs none. */
  readonly token: string;
  readonly name: string;
  /** Version; empty if the server chooses, which is mostly the newest. */
  readonly version: string;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Timeout of an answer in milliseconds; 0 for none. */
  readonly timeoutMs: number;
}

/** Default HTTP port of Triton. */
const USUAL_PORT = 8_000;
const MOST_REQUESTS = 64;
const MICROSECONDS = 1_000;

export function readServedModel(properties: Properties): ServedModel {
  const text = (name: string) => properties[name]?.trim() ?? '';
  if (!flag(properties, 'ENABLE_TRITON'))
    throw wrong(
      'The ENABLE_TRITON property is FALSE, but KSERVE needs a model server. Set it to TRUE, or use the algorithm ONNX with a model file.',
    );
  const server = serverAddress(text('TRITON_SERVER'), flag(properties, 'TRITON_USE_SSL'));
  const name = text('TRITON_MODEL_NAME') || text('MODEL_NAME');
  if (name === '')
    throw missingError(
      'The MODEL_NAME property is not set: give it the name that the model has on its server (TRITON_MODEL_NAME overrides it).',
    );
  const timeoutMs = Math.ceil(countOf(properties, 'TRITON_INFER_TIMEOUT_US', 0) / MICROSECONDS);
  return {
    server,
    name,
    token: text('API_TOKEN'),
    version: text('TRITON_MODEL_VERSION'),
    concurrency: Math.min(MOST_REQUESTS, countOf(properties, 'TRITON_MAX_INFER_CONCURRENCY', 1)),
    timeoutMs: Math.min(timeoutMs, LONGEST_WAIT_MS),
    ...readRetries(properties),
  };
}

/**
 * Returns the address, from `host:port` or an address with the part before /v2. Errors do not contain the value, because it may include a
 * password.
 */
function serverAddress(given: string, isSecure: boolean): string {
  if (given === '')
    throw missingError(
      'The TRITON_SERVER property is not set: give it host and HTTP port of a server that speaks KServe v2 (Triton, OpenVINO Model Server, KServe), such as 127.0.0.1:8000.',
    );
  const scheme = /^(\w+):\/\//.exec(given)?.[1]?.toLowerCase();
  const address = scheme === undefined ? `${isSecure ? 'https' : 'http'}://${given}` : given;
  if ((scheme !== undefined && !/^https?$/.test(scheme)) || !URL.canParse(address)) throw wrongAddress();
  const url = new URL(address);
  if (url.search !== '' || url.hash !== '' || url.hostname === '') throw wrongAddress();
  if (scheme === 'http' && isSecure)
    throw wrong('TRITON_USE_SSL is TRUE, but TRITON_SERVER begins with http. Write https.');
  const hasPort = url.port !== '' || /:\d+$/.test(given.split('/')[0]!);
  if (scheme === undefined && !hasPort && !isSecure) url.port = String(USUAL_PORT);
  const base = withoutSlash(url.href);
  return base.endsWith('/v2') ? withoutSlash(base.slice(0, -'/v2'.length)) : base;
}

function flag(properties: Properties, name: string): boolean {
  const text = properties[name]?.trim().toUpperCase() ?? '';
  if (text !== 'TRUE' && text !== 'FALSE')
    throw wrong(`The ${name} property is "${text}"; it must be TRUE or FALSE.`);
  return text === 'TRUE';
}

const wrongAddress = () =>
  wrong(
    'The TRITON_SERVER property is not an address: give it host and HTTP port of a server that speaks KServe v2, such as 127.0.0.1:8000, or all that stands before /v2, such as https://models.example.org/detectors.',
  );
const wrong = (message: string) => new DetectionError('INVALID_PROPERTY', message);
const missingError = (message: string) => new DetectionError('MISSING_PROPERTY', message);
