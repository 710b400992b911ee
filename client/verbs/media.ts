/** Media for a server that shares no files with this machine (POST /rest/media). */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../answer-text.ts';
import type { PieceUpload, Uploaded } from '../answers.ts';
import { ClientError, IncompleteError, reasonOf, RefusedError, UnreachableError } from '../errors.ts';
import type { RestClient } from '../rest-client.ts';
import type { Answer, Call } from '../transport.ts';

/** Timeout for the answer. The service writes the end of the file to its disk before it answers. */
const ANSWER_MS = 300_000;
const LONGEST_NAME = 255;
const HAS_SCHEME = /^(?:https?|file|data|s3):/i;

/** Returns the request that uploads a file. The file is read in pieces, so that it may have any size. */
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

/** True if the answer comes from a service that does not support uploads. */
export const takesNone = ({ status }: Pick<Answer, 'status'>) => status === 404 || status === 405;
export const TAKES_NONE = 'This version of the service does not support uploads. Upgrade it.';

/** A stored medium. `mediaUri` is for jobs. The server deletes the medium at `expires`. */
export type StoredMedium = Pick<Uploaded, 'id' | 'mediaUri' | 'bytes' | 'expires'>;

export interface UploadOptions {
  readonly signal?: AbortSignal | undefined;
  /** The `uploadId` of the IncompleteError of an earlier call. */
  readonly resume?: string | undefined;
  /** Size of a piece. Larger files are sent in pieces. */
  readonly pieceBytes?: number;
}

const PIECE_BYTES = 8 * 1024 * 1024;

/** Uploads a file, a large one in pieces. @throws RefusedError, or IncompleteError, which can be resumed */
export async function sendFile(
  client: RestClient,
  file: string,
  { signal, resume, pieceBytes = PIECE_BYTES }: UploadOptions = {},
): Promise<StoredMedium> {
  const { size } = await stat(file);
  if (resume === undefined && size <= pieceBytes) return sendWhole(client, file, signal);
  const begun = await beginPieces(client, file, size, resume);
  if (begun === undefined) return sendWhole(client, file, signal);
  if (begun.bytes !== size)
    throw new ClientError(
      `${file} has ${size} bytes, but the upload ${begun.id} has ${begun.bytes}: it is another file.`,
    );
  let state = begun;
  try {
    while (state.mediaUri === null)
      state = await sendPiece(client, file, state, Math.min(pieceBytes, size - state.received), signal);
  } catch (error) {
    if (error instanceof UnreachableError || signal?.aborted === true)
      throw new IncompleteError(state.id, reasonOf(error));
    throw error;
  }
  return { ...state, mediaUri: state.mediaUri };
}

async function sendWhole(client: RestClient, file: string, signal?: AbortSignal): Promise<StoredMedium> {
  const answer = await client.ask(await uploadCall(file), signal);
  if (takesNone(answer)) throw new RefusedError(answer.status, TAKES_NONE);
  return client.good(answer) as Uploaded;
}

/** Starts an upload in pieces. Returns undefined if the version of the service accepts only whole files. */
async function beginPieces(
  client: RestClient,
  file: string,
  bytes: number,
  resume: string | undefined,
): Promise<PieceUpload | undefined> {
  const name = path.basename(file).slice(0, LONGEST_NAME);
  const answer = await client.ask(
    resume === undefined
      ? { method: 'POST', path: '/rest/media/pieces', body: JSON.stringify({ name, bytes }) }
      : { method: 'GET', path: piecesPath(resume) },
  );
  if (resume === undefined && takesNone(answer)) return undefined;
  return client.good(answer) as PieceUpload;
}

/** Sends a piece and returns the new state. If the connection breaks, the state contains the part that has arrived. */
async function sendPiece(
  client: RestClient,
  file: string,
  { id, received }: PieceUpload,
  bytes: number,
  signal?: AbortSignal,
): Promise<PieceUpload> {
  const answer = await client.ask(
    {
      method: 'PUT',
      path: `${piecesPath(id)}?offset=${received}`,
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
      body: () => createReadStream(file, { start: received, end: received + bytes - 1 }),
      answerMs: ANSWER_MS,
    },
    signal,
  );
  const isElsewhere = ['upload-offset-wrong', 'body-incomplete'].includes(codeOf(answer) ?? '');
  return client.good(
    isElsewhere ? await client.ask({ method: 'GET', path: piecesPath(id) }) : answer,
  ) as PieceUpload;
}

const piecesPath = (id: string) => `${uploadPath(id)}/pieces`;

/** Returns the URI of a medium for a job: the given one, that of a file that the server can read, or that of an upload. */
export async function uriOf(client: RestClient, medium: string, signal?: AbortSignal): Promise<string> {
  if (HAS_SCHEME.test(medium)) return medium;
  const uri = pathToFileURL(path.resolve(medium)).href;
  if ((await client.unusable([uri])).length === 0) return uri;
  return (await sendFile(client, medium, { signal })).mediaUri;
}
