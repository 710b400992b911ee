import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { areWebhookSecrets, SECRET_FORM, type ReceiverSecrets } from '../../domain/job/webhook.ts';

const secretsFile = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** Reads the path of a file with the secrets of receivers, and replaces it by the parsed content. */
export const callbackSecrets = z
  .string()
  .trim()
  .transform((file, { addIssue }): readonly ReceiverSecrets[] => {
    try {
      return receiversOf(secretsFile.parse(JSON.parse(readFileSync(file, 'utf8'))));
    } catch (error) {
      addIssue({ code: 'custom', message: `names ${file}, ${whatIsWrong(error)}` });
      return z.NEVER;
    }
  });

class WrongEntry extends Error {}

function receiversOf(entries: Readonly<Record<string, string | readonly string[]>>): ReceiverSecrets[] {
  return Object.entries(entries).map(([receiver, value]) => {
    const secrets = [value].flat();
    if (!areWebhookSecrets(secrets))
      throw new WrongEntry(`which must give "${receiver}" one or two secrets: ${SECRET_FORM}`);
    return { receiver: canonicalReceiver(receiver), secrets };
  });
}

/** The URL of a receiver in normalized form. */
function canonicalReceiver(receiver: string): string {
  const isUrl = /^https?:\/\//i.test(receiver);
  const address = isUrl ? receiver : `http://${receiver}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (!isUrl && url.pathname !== '/'))
    throw new WrongEntry(`in which "${receiver}" is neither a host nor the beginning of an http(s) URL`);
  return isUrl ? url.href : receiver.toLowerCase();
}

/** The end of an error sentence, without any content of the file that may be secret. */
function whatIsWrong(error: unknown): string {
  if (error instanceof WrongEntry) return error.message;
  if (error instanceof Error && 'code' in error) return `which cannot be read (${String(error.code)})`;
  return 'which must be a JSON object: the host or the beginning of the URL of each receiver, with its secret or both of its secrets';
}
