/** Uploads a file in pieces. The server keeps received pieces when the connection breaks or the page is reloaded. */
import { answer, ApiError } from '../kit/answer.ts';
import { get, send, urlOf } from '../kit/api.ts';
import { forgetUpload, knownUpload, rememberUpload } from './unfinished-uploads.ts';
import { TEXT } from '../kit/text.ts';

/** A file that the server has received: its id, and its URI for jobs. */
export interface Uploaded {
  readonly id: string;
  readonly mediaUri: string;
}

/** The received part of an upload. */
export interface PieceUpload {
  readonly id: string;
  readonly bytes: number;
  readonly received: number;
  readonly mediaUri: string | null;
}

/** Size of a piece: bytes. After an interruption, at most one piece is sent twice. */
const PIECE = 8 * 1024 * 1024;
/** Delays between attempts while the server cannot be reached: milliseconds. The last one repeats. */
const AGAIN_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

export interface Progress {
  /** Number of sent bytes. */
  readonly sent: number;
  /** True if the server cannot be reached and the upload is retried. */
  readonly isInterrupted: boolean;
}

/**
 * Uploads a file, starting where an earlier attempt ended. Retries after an interruption.
 * @throws Error with the message of the server if it refuses the file; the reason of `signal` if it is aborted
 */
export async function upload(
  file: File,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Uploaded> {
  if (file.size === 0) throw new Error(TEXT.new.theFileIsEmpty);
  for (let failures = 0; ;) {
    try {
      let state = await beginOrFind(file, signal);
      for (;;) {
        onProgress({ sent: state.received, isInterrupted: false });
        if (state.mediaUri !== null) {
          forgetUpload(file);
          return { id: state.id, mediaUri: state.mediaUri };
        }
        state = await sendPiece(file, state, onProgress, signal);
        failures = 0;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error)) throw error;
      onProgress({ sent: knownUpload(file)?.received ?? 0, isInterrupted: true });
      await wait(AGAIN_MS[Math.min(failures++, AGAIN_MS.length - 1)]!, signal);
    }
  }
}

/** Statuses after which a retry may succeed, such as the end of a session or a starting server. */
const PASSING = new Set([0, 401, 409, 429, 500, 502, 503, 504]);
const isPassing = (error: unknown) => error instanceof ApiError && PASSING.has(error.status);

async function beginOrFind(file: File, signal: AbortSignal): Promise<PieceUpload> {
  const known = knownUpload(file);
  const found = known === undefined ? undefined : await findUpload(known.id, signal);
  if (found !== undefined) return found;
  const body = { name: file.name, bytes: file.size };
  const begun = await send<PieceUpload>('POST', 'rest/media/pieces', body, {}, signal);
  rememberUpload(file, begun);
  return begun;
}

/** Returns undefined if the server no longer has the upload. */
export const findUpload = (id: string, signal: AbortSignal): Promise<PieceUpload | undefined> =>
  get<PieceUpload>(`rest/media/${encodeURIComponent(id)}/pieces`, {}, signal).catch((error: unknown) => {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined;
    throw error;
  });

async function sendPiece(
  file: File,
  { id, received }: PieceUpload,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<PieceUpload> {
  const url = urlOf(`rest/media/${encodeURIComponent(id)}/pieces`, { offset: received });
  const piece = file.slice(received, received + PIECE);
  const report = (sent: number) => onProgress({ sent: received + sent, isInterrupted: false });
  const state = (await answer(put(url, piece, report, signal))) as PieceUpload;
  rememberUpload(file, state);
  return state;
}

/** Sends a piece by XMLHttpRequest, because fetch does not report upload progress. */
function put(
  url: string,
  body: Blob,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open('PUT', url);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
    request.addEventListener('error', () => reject(new Error(TEXT.new.theConnectionWasInterrupted)));
    request.addEventListener('abort', () => reject(new DOMException(TEXT.new.stopped, 'AbortError')));
    request.addEventListener('load', () =>
      resolve(new Response(request.responseText, { status: request.status })),
    );
    request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
    signal.addEventListener('abort', abort);
    request.send(body);
  });
}

/** Waits. The wait ends early when the browser is online again. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = new AbortController();
    const end = () => {
      clearTimeout(timer);
      ended.abort();
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { signal: ended.signal });
    signal.addEventListener('abort', () => (end(), reject(signal.reason as Error)), { signal: ended.signal });
  });
}
