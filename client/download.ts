/** Downloads files of a service. Resumes an interrupted file, and skips a complete one. */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ClientError, reasonOf } from './errors.ts';
import { refusal, type RestClient } from './rest-client.ts';
import type { Answer } from './transport.ts';

export type Download =
  | { readonly what: 'fetched' | 'there'; readonly bytes: number }
  /** The service does not have the file. The message says why. */
  | { readonly what: 'missing'; readonly message: string };

/**
 * Downloads a path of the service to a file. An incomplete download stays beside it in a part file, named after the
 * ETag.
 */
export async function download(client: RestClient, from: string, to: string): Promise<Download> {
  const here = await sizeOf(to);
  const begun = here === undefined ? await partsOf(to) : [];
  const known = here === undefined && begun.length === 0 ? undefined : await lookedAt(client, from);
  if (known !== undefined && 'what' in known) return known;
  if (known !== undefined && here === known.bytes) return { what: 'there', bytes: here };
  const part = known === undefined ? undefined : begun.find((one) => one === partName(to, known.etag));
  for (const other of begun.filter((one) => one !== part)) await rm(other, { force: true });
  const size = part === undefined ? 0 : ((await sizeOf(part)) ?? 0);
  const goesOn = known !== undefined && size > 0 && size < known.bytes;
  const headers = goesOn ? { range: `bytes=${size}-`, 'if-range': known.etag } : {};
  const answer = await client.ask({ method: 'GET', path: from, headers, streamed: true });
  if (answer.status === 404) return missingAnswer(answer);
  if (answer.stream === undefined) throw refusal(answer);
  return writeBody(answer, answer.stream, to);
}

/** Returns the size and the ETag. */
async function lookedAt(client: RestClient, from: string) {
  const answer = await client.ask({ method: 'HEAD', path: from });
  // Only the body of a GET contains the message of an error.
  if (answer.status >= 300) return missingAnswer(await client.ask({ method: 'GET', path: from }));
  return { bytes: Number(answer.headers['content-length']), etag: String(answer.headers['etag'] ?? '') };
}

function missingAnswer(answer: Answer): Download {
  if (answer.status === 404) return { what: 'missing', message: refusal(answer).message };
  throw refusal(answer);
}

async function writeBody({ status, headers }: Answer, body: Readable, to: string): Promise<Download> {
  const part = partName(to, String(headers['etag'] ?? ''));
  try {
    await mkdir(path.dirname(to), { recursive: true });
    await pipeline(body, createWriteStream(part, { flags: status === 206 ? 'a' : 'w' }));
    await rename(part, to);
  } catch (error) {
    const problem = `${to} was not downloaded completely: ${reasonOf(error)}. Run the same command again to continue.`;
    throw new ClientError(problem, { begun: true });
  }
  return { what: 'fetched', bytes: (await sizeOf(to)) ?? 0 };
}

const PART = '.part';

/** Returns the name of the part file. It contains the ETag, so that only a part of the same file is resumed. */
const partName = (to: string, etag: string) => `${to}.${etag.replaceAll(/[^\w-]/g, '')}${PART}`;

async function partsOf(to: string): Promise<readonly string[]> {
  const names = await readdir(path.dirname(to)).catch(() => []);
  const start = `${path.basename(to)}.`;
  return names
    .filter((name) => name.startsWith(start) && name.endsWith(PART))
    .map((name) => path.join(path.dirname(to), name));
}

const sizeOf = async (file: string) => (await stat(file).catch(() => undefined))?.size;
