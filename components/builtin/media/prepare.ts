/** PREPARE: brings a medium to a local file, inspects it, and determines its requested frames. */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { statedType } from '../../../domain/plan/media-types.ts';
import { retrieve } from '../../../media/fetch/fetch-medium.ts';
import { hashFile } from '../../../media/inspect/hash.ts';
import { inspect } from '../../../media/inspect/inspect.ts';
import type { Inspection } from '../../../media/inspect/inspection.ts';
import { MediumError } from '../../../media/medium-error.ts';
import { mediaBucket } from '../../../domain/job/buckets.ts';
import { booleanOf, numberOf } from '../../../domain/properties/properties.ts';
import { userRanges } from '../../../domain/frames/segments.ts';
import { factsFromMetadata } from '../../../domain/plan/skip-inspection.ts';
import type { Issue, MediumFacts, Properties, Range } from '../../../domain/types.ts';
import type { PreparedMedium, PrepareWork } from '../../../protocol/media-work.ts';
import { readText } from '../../../results/text-places.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { decodeText } from '../../../domain/decode-text.ts';

/** Reports fetched and hashed bytes, which shows progress of large media. */
type Meter = (bytes: number) => void;

const WATCH_MS = 1000;

/** Yields one line, a PreparedMedium, also if the medium cannot be inspected. Throws the errors of retrieval. */
export async function* prepare(given: PrepareWork, context: WorkContext): AsyncGenerator<string> {
  const work = await withWholeUri(given);
  let done = 0;
  const meter = (bytes: number): void => context.progress((done += bytes), 0);
  const path = await localPath(work, context.signal, meter);
  // Read before the content, so that a change during reading is noticed.
  const { size: bytes, mtimeMs } = statSync(path);
  const medium = await preparedMedium(path, work, context.signal, meter);
  yield `${JSON.stringify({ ...medium, bytes, modified: Math.floor(mtimeMs) })}\n`;
}

/** Reads a long data: URI from its file. */
async function withWholeUri({ uriAt, ...work }: PrepareWork): Promise<PrepareWork> {
  if (uriAt === undefined) return work;
  const uri = await readText(uriAt);
  if (uri !== undefined) return { ...work, uri };
  throw new MediumError(
    'LOCAL_STORAGE',
    'The data of the data: URI no longer exist in DATA_DIR. Create a new job with them',
  );
}

async function preparedMedium(
  path: string,
  work: PrepareWork,
  signal: AbortSignal,
  meter: Meter,
): Promise<PreparedMedium> {
  try {
    const { facts, warnings, inspected } = await factsOf(path, work, signal, meter);
    if (inspected && work.sha256 !== undefined && facts.sha256 !== work.sha256) throw changedError();
    const ranges = rangesOf(facts, work);
    const ofRanges = [...nothingOf(facts, ranges), ...withoutEffect(facts, work)];
    return { facts, inspected, path, warnings: [...warnings, ...ofRanges], ranges };
  } catch (error) {
    if (!(error instanceof MediumError) || error.known === undefined) throw error;
    const { known, code, message } = error;
    const facts = { ...known, metadata: { ...work.metadata, ...known.metadata } };
    return { facts, inspected: true, path, warnings: [], ranges: [], failure: { code, message } };
  }
}

const changedError = () =>
  new MediumError(
    'MEDIA_INSPECTION',
    'The medium has changed since the job found something in it. Retry the job with FAILED_MEDIA to process the medium as it is now',
  );

/** Returns the local path. The service's own files need not be in MEDIA_ROOTS. */
async function localPath(work: PrepareWork, signal: AbortSignal, meter: Meter): Promise<string> {
  const { uri, fetchTo, limits, bearer, stored = false, step } = work;
  if (!stored && step !== 'INSPECT') {
    const object = mediaBucket(uri, work.properties) ?? undefined;
    let seen = 0;
    const onBytes = (done: number) => {
      if (done > seen) meter(done - seen);
      seen = done;
    };
    return (await retrieve(uri, fetchTo, limits, signal, { object, bearer, onBytes })).path;
  }
  const found = await stat(fetchTo).catch(() => undefined);
  if (found?.isFile() === true) return fetchTo;
  throw new MediumError(
    'LOCAL_STORAGE',
    `The file of the ${stored ? 'derivative' : 'fetched'} medium is missing. Run the job again to ${stored ? 'create' : 'fetch'} it again`,
  );
}

/**
 * Uses complete metadata without inspection (specification 2.1). Otherwise inspects the medium; its results override the given metadata.
 */
async function factsOf(
  path: string,
  work: PrepareWork,
  signal: AbortSignal,
  meter: Meter,
): Promise<Inspection & { readonly inspected: boolean }> {
  const skipped = factsFromMetadata(work.metadata, {
    insist: booleanOf(work.properties, 'SKIP_MEDIA_INSPECTION'),
  });
  if ('facts' in skipped) return { ...skipped, inspected: false };
  const sha256 = await hashFile(path, signal, meter);
  const { facts, warnings } = await runMetered(meter, () =>
    inspect(path, {
      sha256,
      ignoresDamage: booleanOf(work.properties, 'FFPROBE_IGNORE_STDERR'),
      name: nameOf(work),
      stated: statedType(work.uri),
      signal,
    }),
  );
  // Inspection omits these values if they do not apply. Given values must not remain then.
  const { MEDIA_HASH: _unproven, HAS_CONSTANT_FRAME_RATE: _claimed, ...given } = work.metadata;
  return {
    inspected: true,
    facts: { ...facts, metadata: { ...given, ...facts.metadata } },
    warnings: [...skipped.warnings, ...warnings],
  };
}

/** Reports activity while inspection runs, because it has no measure of its progress. It is active while the event loop runs. */
async function runMetered<T>(meter: Meter, work: () => Promise<T>): Promise<T> {
  const beat = setInterval(() => meter(1), WATCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

/** Returns the last part of the URI's path, which distinguishes kinds of text. A derivative medium has the name of its file. */
function nameOf({ uri, stored }: PrepareWork): string | undefined {
  if (stored === true || /^data:/i.test(uri)) return undefined;
  const segment = URL.canParse(uri) ? new URL(uri).pathname.split('/').at(-1) : undefined;
  return segment === undefined || segment === '' ? undefined : decodeText(segment);
}

function rangesOf(facts: MediumFacts, { frameRanges, timeRanges }: PrepareWork): readonly Range[] {
  if (facts.mediaType !== 'VIDEO') return [];
  const frameTimes = facts.frameTimes ?? { fps: fpsOf(facts.metadata), constantRate: true, startTime: 0 };
  return userRanges({ frameRanges, timeRanges, frameTimes, length: facts.length });
}

/** Returns a warning if no part of the ranges is inside the video. Otherwise an empty result would look like a video without detections. */
function nothingOf(
  { mediaType, length, metadata: { DURATION } }: MediumFacts,
  ranges: readonly Range[],
): readonly Issue[] {
  if (mediaType !== 'VIDEO' || ranges.length > 0) return [];
  const size = `${length} frames${DURATION === undefined ? '' : `, ${DURATION} ms`}`;
  const message = `No part of the video is processed: all frameRanges and timeRanges lie outside of it (${size}).`;
  return [{ code: 'OTHER', message }];
}

/**
 * Returns warnings about ignored ranges. Videos have frames and times, documents have pages (handled by their component), and other media
 * have no parts.
 */
function withoutEffect(
  { mediaType, mimeType }: MediumFacts,
  { frameRanges, timeRanges, hasSelectors = false }: PrepareWork,
): readonly Issue[] {
  const hasPages = mediaType === 'UNKNOWN' && !hasSelectors;
  const given = [
    ...(frameRanges.length > 0 && !hasPages ? ['frameRanges'] : []),
    ...(timeRanges.length > 0 ? ['timeRanges'] : []),
  ];
  if (mediaType === 'VIDEO' || given.length === 0) return [];
  const reason = hasSelectors
    ? 'mediaSelectors choose the parts of the medium. Leave the ranges out.'
    : mediaType === 'UNKNOWN'
      ? `the medium (${mimeType}) has no times. Name pages of documents in frameRanges, counted from 1.`
      : `all of the medium (${mimeType}) is processed. Ranges are for videos and for pages of documents.`;
  return [{ code: 'OTHER', message: `The ${given.join(' and ')} have no effect: ${reason}` }];
}

function fpsOf(metadata: Properties): number {
  return numberOf(metadata, 'FPS', 0);
}
