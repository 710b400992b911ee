import type { Properties } from '../types.ts';
import { areWebhookSecrets, SECRET_FORM } from './webhook.ts';

/** The property of a job with the secrets of its callbacks. It is no property of components and is kept apart from the others. */
const CALLBACK_SECRET = 'CALLBACK_SECRET';

export interface WithoutSecrets {
  readonly jobProperties: Properties;
  /** Absent: the job names none. */
  readonly callbackSecrets?: readonly string[];
  /** Why the job cannot be accepted. */
  readonly refused?: string;
}

/** Takes the secrets out of the properties of a job: one, or two with a blank between them. */
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
