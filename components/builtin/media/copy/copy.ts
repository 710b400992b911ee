/**
 * COPY: copies the results of an earlier job into the bucket of a job with the same request. The document is read twice: first to list its
 * files, then to rewrite it while several files at a time are copied. Keys are derived from the content. A repeated attempt does not send
 * existing files again.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  openArchivedFiles,
  type ArchivedFiles,
  type WantedFile,
} from '../../../../media/fetch/archived-files.ts';
import { openResultBucket, type ResultBucket } from '../../../../media/fetch/buckets.ts';
import { hashFile } from '../../../../media/inspect/hash.ts';
import { MediumError } from '../../../../media/medium-error.ts';
import {
  archivedObject,
  objectKey,
  objectUri,
  resultsBucket,
  type ResultsBucket,
} from '../../../../domain/job/buckets.ts';
import { withTodaysFiles } from '../../../../results/moved-files.ts';
import { splitLines } from '../../../../results/lines.ts';
import type { CopyHead, CopyMedium, CopyWork } from '../../../../protocol/bucket-work.ts';
import type { WorkContext } from '../../../sdk/work/work-context.ts';
import { CopiedFiles } from './copied-files.ts';
import { CopyProgress } from './copy-progress.ts';
import { rewrittenDocument, surveyOf, type NewPlaces } from './copied-document.ts';

/** Number of files that are requested ahead per concurrent copy, so that a large file does not delay the others. */
const AHEAD = 4;

export async function* copy(work: CopyWork, context: WorkContext): AsyncGenerator<Uint8Array> {
  const bucket = bucketOf(work);
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  await mkdir(work.folder, { recursive: true });
  const folder = await mkdtemp(join(work.folder, 'attempt-'));
  const target = openResultBucket(bucket, work.privateBuckets);
  const sources = await openArchivedFiles({
    ...work.files,
    allowPrivate: work.privateBuckets,
    allowedHosts: work.allowedHosts,
    version: work.version,
  });
  const progress = new CopyProgress(context);
  const files = new CopiedFiles({ work, bucket, target, sources, folder, signal, progress });
  try {
    const source = await documentOf(work, sources, folder, signal, progress);
    const { movedFiles = [] } = work;
    const read = () => withTodaysFiles(createReadStream(source) as AsyncIterable<Buffer>, movedFiles);
    const survey = await surveyOf(read(), signal).catch(refusedDocument(work));
    progress.total = survey.files + 1;
    const places = await newPlaces(work, context, (uri) => files.copyFile(uri));
    const path = join(folder, 'detection.json');
    const pieces = rewrittenDocument(read(), survey, places, AHEAD * work.atOnce);
    await pipeline(pieces, createWriteStream(path, { mode: 0o600 }), { signal });
    await storeCopy(path, bucket, target, signal, progress);
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } finally {
    stop.abort(new Error('The copying is over'));
    await files.waitUntilCopied();
    await sources.close();
    target.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function bucketOf({ properties }: CopyWork): ResultsBucket {
  const bucket = resultsBucket(properties);
  if (bucket === null) throw new MediumError('OTHER', 'S3_RESULTS_BUCKET names no bucket');
  return bucket;
}

async function documentOf(
  { document: uri, properties, maxDocumentBytes }: CopyWork,
  sources: ArchivedFiles,
  folder: string,
  signal: AbortSignal,
  progress: CopyProgress,
): Promise<string> {
  const file: WantedFile = {
    uri,
    object: archivedObject(uri, properties),
    into: join(folder, 'source.json'),
    maxBytes: maxDocumentBytes,
  };
  const { path } = await sources.bring(file, signal, progress.bytesMoved);
  return path;
}

const refusedDocument =
  ({ document }: CopyWork) =>
  (error: unknown): never => {
    throw new MediumError(
      'OTHER',
      `the document of the earlier job cannot be read: ${error instanceof Error ? error.message : String(error)} (${document.slice(0, 500)})`,
      { cause: error },
    );
  };

async function newPlaces(
  { input }: CopyWork,
  context: WorkContext,
  copyFile: NewPlaces['copyFile'],
): Promise<NewPlaces> {
  let head: CopyHead | undefined;
  const media = new Map<string, string[]>();
  for await (const { text } of splitLines(await context.input(input))) {
    if (head === undefined) {
      head = JSON.parse(text) as CopyHead;
      continue;
    }
    const { sha256, path } = JSON.parse(text) as CopyMedium;
    media.set(sha256, [...(media.get(sha256) ?? []), path]);
  }
  if (head === undefined) throw new Error('The input of the copy is empty.');
  return { jobId: head.jobId, media, copyFile };
}

async function storeCopy(
  path: string,
  bucket: ResultsBucket,
  target: ResultBucket,
  signal: AbortSignal,
  progress: CopyProgress,
): Promise<string> {
  const sha256 = await hashFile(path, signal, progress.bytesMoved);
  const key = objectKey(bucket.prefix, sha256);
  await target.store({ path, key, sha256 }, signal, progress.bytesMoved);
  progress.fileDone();
  return objectUri(bucket, key);
}
