/** Media for a server that shares no files with this machine (POST /rest/media). */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Uploaded } from '../answers.ts';
import { RefusedError } from '../errors.ts';
import type { RestClient } from '../rest-client.ts';
import type { Answer, Call } from '../transport.ts';

/** The service writes the last of it to its disk before it answers. */
const ANSWER_MS = 300_000;
const LONGEST_NAME = 255;
const HAS_SCHEME = /^(?:https?|file|data|s3):/i;

/** The file as it is on the disk, piece by piece: the size of a medium is no matter. */
export async function uploadCall(file: string): Promise<Call> {
  const { size } = await stat(file);
  const name = path.basename(file).slice(0, LONGEST_NAME);
  return {
    method: 'POST',
    path: `/rest/media?${new URLSearchParams({ name }).toString()}`,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
    body: () => createReadStream(file),
    answerMs: ANSWER_MS,
    once: 'medium',
  };
}

export const uploadPath = (id: string) => `/rest/media/${encodeURIComponent(id)}`;

/** Does this answer come from a service that takes no uploads? */
export const takesNone = ({ status }: Pick<Answer, 'status'>) => status === 404 || status === 405;
export const TAKES_NONE = 'This service has an earlier version that does not accept uploads.';

/** @throws RefusedError */
export async function sendFile(client: RestClient, file: string, signal?: AbortSignal): Promise<Uploaded> {
  const answer = await client.ask(await uploadCall(file), signal);
  if (takesNone(answer)) throw new RefusedError(answer.status, TAKES_NONE);
  return client.good(answer) as Uploaded;
}

/** What a job names a medium by: a URI as it is, the URI of a file that the server can read, or that of an upload. */
export async function uriOf(client: RestClient, medium: string, signal?: AbortSignal): Promise<string> {
  if (HAS_SCHEME.test(medium)) return medium;
  const uri = pathToFileURL(path.resolve(medium)).href;
  if ((await client.unusable([uri])).length === 0) return uri;
  return (await sendFile(client, medium, signal)).mediaUri;
}
