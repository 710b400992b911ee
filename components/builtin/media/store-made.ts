/**
 * Second step of FINISH, ARTIFACTS and MARKUP if results are stored in a bucket: uploads the files that the first step's answer names, and
 * yields the answer again. A file that cannot be uploaded stays in place, with a warning.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sep } from 'node:path';
import { MAX_OWN_LINE_BYTES, inChunks, readLines } from '../../../results/lines.ts';
import type { Issue } from '../../../domain/types.ts';
import type {
  ArtifactsWork,
  FinishSummary,
  FinishWork,
  MarkupAnswer,
  MarkupWork,
} from '../../../protocol/track-work.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { isSummary, parseFinished, type FinishedTrack } from './finish/finished-line.ts';
import { resultStore } from './upload.ts';

/** Completed work, with the file of its answer. */
type Made<W> = W & { readonly made: string };

/** Number of track lines whose pictures are uploaded together. */
const BATCH_LINES = 256;
/** Maximum number of cached pictures that tracks share. */
const REMEMBERED = 50_000;

export const storeArtifacts = (work: Made<ArtifactsWork>, context: WorkContext): AsyncGenerator<string> =>
  inChunks(linesWithStoredPictures(work, new Uploads(work, context), context.signal));

async function* linesWithStoredPictures(
  { made, folder }: Made<ArtifactsWork>,
  uploads: Uploads,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let batch: Promise<string>[] = [];
  const take = async function* (): AsyncGenerator<string> {
    for (const line of await Promise.all(batch)) yield `${line}\n`;
    batch = [];
  };
  for await (const { text } of readLines(made, MAX_OWN_LINE_BYTES, signal)) {
    if (isSummary(text)) {
      yield* take();
      yield `${JSON.stringify({ summary: withWarnings(summaryIn(text), uploads, 'Some extracted pictures') })}\n`;
    } else if (batch.push(withStoredPictures(text, folder, uploads)) === BATCH_LINES) yield* take();
  }
}

/** Uploads the pictures of a line. Pictures of an earlier task are unchanged. */
async function withStoredPictures(line: string, folder: string, uploads: Uploads): Promise<string> {
  const own = pathToFileURL(folder + sep).href;
  if (!line.includes(own)) return line;
  const { track, rest } = parseFinished(line);
  await Promise.all(
    detectionsOf(track).map(async (detection) => {
      const { artifactPath: uri } = detection;
      if (uri?.startsWith(own) === true) detection.artifactPath = await uploads.uri(uri);
    }),
  );
  return `${JSON.stringify(track)}${rest}`;
}

const detectionsOf = ({ exemplar, detections }: FinishedTrack) => [exemplar, ...detections];

/** Uploads derivative media and the output document of media selectors. Tracks name no files. */
export async function* storeFinished(work: Made<FinishWork>, context: WorkContext): AsyncGenerator<string> {
  const uploads = new Uploads(work, context);
  for await (const { text } of readLines(work.made, MAX_OWN_LINE_BYTES, context.signal)) {
    if (!isSummary(text)) {
      yield `${text}\n`;
      continue;
    }
    const { derived, selectorsOutputUri, ...summary } = summaryIn(text);
    const stored = {
      ...summary,
      ...(derived === undefined
        ? {}
        : {
            derived: await Promise.all(
              derived.map(async (one) => ({ ...one, uri: await uploads.uri(one.uri) })),
            ),
          }),
      ...(selectorsOutputUri === undefined
        ? {}
        : { selectorsOutputUri: await uploads.uri(selectorsOutputUri) }),
    };
    yield `${JSON.stringify({ summary: withWarnings(stored, uploads, 'Some files') })}\n`;
  }
}

/** Uploads the marked-up copy. */
export async function* storeMarkup(work: Made<MarkupWork>, context: WorkContext): AsyncGenerator<string> {
  const uploads = new Uploads(work, context);
  for await (const { text } of readLines(work.made, MAX_OWN_LINE_BYTES, context.signal)) {
    const answer = JSON.parse(text) as MarkupAnswer;
    const stored = { ...answer, uri: await uploads.uri(answer.uri) };
    yield `${JSON.stringify(withWarnings(stored, uploads, 'The marked-up medium'))}\n`;
  }
}

class Uploads {
  /** Reason of the first failed upload. */
  reason: string | undefined;
  readonly #store: ReturnType<typeof resultStore>;
  readonly #signal: AbortSignal;
  readonly #known = new Map<string, Promise<string>>();

  constructor({ properties, privateBuckets }: ArtifactsWork | FinishWork | MarkupWork, context: WorkContext) {
    let done = 0;
    const onBytes = (bytes: number) => context.progress((done += bytes), 0);
    this.#store = resultStore(properties, { privateBuckets, onBytes });
    this.#signal = context.signal;
  }

  /** Uploads a file of this service, once for all references, and returns its URI in the bucket. Other URIs are unchanged. */
  uri(uri: string): Promise<string> {
    const store = this.#store;
    if (store === undefined || !uri.startsWith('file:')) return Promise.resolve(uri);
    const known = this.#known.get(uri);
    if (known !== undefined) return known;
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    const stored = store(fileURLToPath(uri), this.#signal).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      this.reason ??= error instanceof Error ? error.message : String(error);
      return uri;
    });
    this.#known.set(uri, stored);
    return stored;
  }
}

const summaryIn = (line: string) => (JSON.parse(line) as { readonly summary: FinishSummary }).summary;

function withWarnings<A extends { readonly warnings: readonly Issue[] }>(
  answer: A,
  { reason }: Uploads,
  what: string,
): A {
  if (reason === undefined) return answer;
  const message = `${what} could not be uploaded and stay on the server: ${reason}`;
  return { ...answer, warnings: [...answer.warnings, { code: 'REMOTE_STORAGE_UPLOAD', message }] };
}
