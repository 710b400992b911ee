/** Signatures of callbacks, as Standard Webhooks defines them (https://www.standardwebhooks.com). */
import { createHmac } from 'node:crypto';
import type { Properties } from '../types.ts';

const PREFIX = 'whsec_';
const LEAST_BYTES = 24;
const MOST_BYTES = 64;
/** Maximum number of secrets: a new one and the one that it replaces. */
const MOST_SECRETS = 2;

/** Required form of a secret, as part of a sentence. */
export const SECRET_FORM = `${PREFIX} and the base64 form of ${LEAST_BYTES} to ${MOST_BYTES} random bytes, as "openssl rand -base64 32" prints it`;

/** True if the texts are one or two valid secrets. */
export const areWebhookSecrets = (secrets: readonly string[]): boolean =>
  secrets.length > 0 && secrets.length <= MOST_SECRETS && secrets.every(isWebhookSecret);

function isWebhookSecret(secret: string): boolean {
  if (!secret.startsWith(PREFIX)) return false;
  const key = keyOf(secret);
  const isBase64 = withoutPadding(key.toString('base64')) === withoutPadding(secret.slice(PREFIX.length));
  return isBase64 && key.length >= LEAST_BYTES && key.length <= MOST_BYTES;
}

const withoutPadding = (base64: string): string => base64.replaceAll('=', '');
const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

export interface Webhook {
  /** The same in each attempt. */
  readonly id: string;
  /** Time of the attempt: milliseconds since the epoch. */
  readonly at: number;
  /** The body as sent; empty for a GET. */
  readonly body: string;
  readonly secrets: readonly string[];
}

/** Headers that prove the sender of a callback, with a signature for each secret. Empty without secrets. */
export function webhookHeaders({ id, at, body, secrets }: Webhook): Readonly<Record<string, string>> {
  if (secrets.length === 0) return {};
  const timestamp = Math.floor(at / 1_000);
  const sign = (secret: string) =>
    `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(sign).join(' '),
  };
}

/** The id without full stops, which separate the parts of the signed text. */
export const webhookId = (noticeId: string): string => noticeId.replaceAll('.', '_');

/** The secrets of a receiver. It is a host (with its port, if not the default) or a URL prefix. */
export interface ReceiverSecrets {
  readonly receiver: string;
  readonly secrets: readonly string[];
}

/** The secrets for this URL: those of the longest matching prefix, or else those of its host. */
export function secretsFor(url: string, receivers: readonly ReceiverSecrets[]): readonly string[] {
  if (receivers.length === 0 || !URL.canParse(url)) return [];
  const { href, host, hostname } = new URL(url);
  const fitting = receivers.filter(({ receiver }) =>
    receiver.includes('://') ? startsWithPath(href, receiver) : receiver === host || receiver === hostname,
  );
  const rank = ({ receiver }: ReceiverSecrets) => (receiver.includes('://') ? 1_000 : 0) + receiver.length;
  return fitting.toSorted((a, b) => rank(b) - rank(a))[0]?.secrets ?? [];
}

/** `https://a.example/x` is a prefix of `https://a.example/x/y`, but not of `https://a.example/xy`. */
function startsWithPath(href: string, start: string): boolean {
  if (!href.startsWith(start)) return false;
  return start.endsWith('/') || href.length === start.length || /[/?#]/.test(href[start.length]!);
}

/** The job property with the secrets of its callbacks. Components do not get it, and it is stored separately. */
const CALLBACK_SECRET = 'CALLBACK_SECRET';

export interface WithoutSecrets {
  readonly jobProperties: Properties;
  /** Absent if the job has no secrets. */
  readonly callbackSecrets?: readonly string[];
  /** Why the job is refused. */
  readonly refused?: string;
}

/** Removes the secrets from the properties of a job: one, or two separated by a space. */
export function takeCallbackSecrets(properties: Properties): WithoutSecrets {
  const { [CALLBACK_SECRET]: text, ...jobProperties } = properties;
  const callbackSecrets = (text ?? '').split(/\s+/).filter((secret) => secret !== '');
  if (callbackSecrets.length === 0) return { jobProperties };
  if (areWebhookSecrets(callbackSecrets)) return { jobProperties, callbackSecrets };
  return {
    jobProperties,
    refused: `Property validation failed due to: The CALLBACK_SECRET property must have one or two secrets, with a blank between them: ${SECRET_FORM}.`,
  };
}

/** A sentence about the secrets of a job that has no callback to sign. `receivers`: what the job would need. */
export const noteUnusedSecrets = (
  properties: Properties,
  hasCallback: boolean,
  receivers: string,
): readonly string[] =>
  hasCallback || (properties[CALLBACK_SECRET] ?? '').trim() === ''
    ? []
    : [`The CALLBACK_SECRET property has no effect, because the job has no ${receivers}.`];
