/** Runs a draft on one picture. The job and the upload are deleted after the result was read. */
import { ApiError } from '../../kit/answer.ts';
import { get, send, urlOf } from '../../kit/api.ts';
import type { LibraryMedium } from '../../library/types.ts';
import { thumbnailUrl } from '../../library/tile.tsx';
import { upload } from '../../new/upload.ts';
import { storedSize, turnPicture, type Turned } from '../../kit/findings/overlay.ts';
import type { Box, BoxPage, Lane, MediaOfJob, Medium, Track, TrackPage } from '../../kit/findings/types.ts';
import { definitionOf } from './requests.ts';
import type { PipelineDraft } from './draft.ts';
import { TEXT } from '../../kit/text.ts';

/** The medium of a trial: a file, or a frame of a medium of the library. */
export type TrialSource =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'frame'; readonly medium: LibraryMedium; readonly frame: number };

export interface TrialResult {
  /** Time from the start of the job to its end: milliseconds. */
  readonly tookMs: number;
  readonly lanes: readonly Lane[];
  readonly tracks: readonly Track[];
  /** Number of tracks, including those that are not listed. */
  readonly total: number;
  /** Problems, one sentence each. */
  readonly issues: readonly string[];
  /** Undefined if the medium has no pictures. */
  readonly picture?:
    | {
        readonly url: string;
        readonly turned: Turned;
        readonly frame: number;
        readonly boxes: readonly Box[];
      }
    | undefined;
}

/** Interval between two updates of the job: milliseconds. */
const LOOK_MS = 300;
const TRACKS = 200;
const BOXES = 1_000;
/** Number of frames of a video that are processed if one is not enough. */
const FRAMES = 50;

interface JobInfo {
  readonly terminal: boolean;
  readonly waitingFor?: { readonly reason: string };
}

/**
 * Runs a trial.
 * @param onPhase receives a text about the current phase
 * @throws ApiError with the message of the server
 */
export async function runTrial(
  draft: PipelineDraft,
  source: TrialSource,
  onPhase: (text: string) => void,
  signal: AbortSignal,
): Promise<TrialResult> {
  onPhase(TEXT.pipelines.sendingThePicture);
  const file = source.kind === 'file' ? source.file : await pictureOf(source);
  const { id, mediaUri } = await upload(file, () => undefined, signal);
  const from = performance.now();
  try {
    const jobId = await startJob(draft, mediaUri, source);
    try {
      await untilEnd(jobId, onPhase, signal);
      return await resultOf(jobId, performance.now() - from, signal);
    } finally {
      await forget(jobId);
    }
  } finally {
    await send('DELETE', `rest/media/${encodeURIComponent(id)}`).catch(() => undefined);
  }
}

async function pictureOf({ medium, frame }: Extract<TrialSource, { readonly kind: 'frame' }>): Promise<File> {
  const url = new URL(thumbnailUrl(medium, frame));
  url.searchParams.delete('small');
  const response = await fetch(url);
  if (!response.ok) throw new ApiError(response.status, TEXT.common.theServerCannotDecodeThis, undefined);
  return new File([await response.blob()], 'frame.jpg', { type: 'image/jpeg' });
}

/** Starts a job for one frame. A pipeline that does not support images gets several frames of the video, if there is one. */
async function startJob(draft: PipelineDraft, mediaUri: string, source: TrialSource): Promise<string> {
  const start = (medium: object) =>
    send<{ readonly jobId: string }>('POST', 'rest/jobs', {
      media: [medium],
      pipelineDefinition: definitionOf(draft),
      externalId: TEXT.pipelines.trialOfAPipeline,
      labels: ['trial'],
    }).then(({ jobId }) => jobId);
  if (source.kind === 'file' || source.medium.mediaType !== 'VIDEO') return start({ mediaUri });
  const { frame, medium } = source;
  return start({ mediaUri }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return start({ mediaUri: medium.mediaUri, frameRanges: [{ start: frame, stop: frame + FRAMES - 1 }] });
  });
}

async function untilEnd(jobId: string, onPhase: (text: string) => void, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { terminal, waitingFor } = await get<JobInfo>(pathOf(jobId), { details: true }, signal);
    if (terminal) return;
    onPhase(waitingFor?.reason ?? TEXT.pipelines.lookingAtThePicture);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    signal.throwIfAborted();
  }
}

async function resultOf(jobId: string, tookMs: number, signal: AbortSignal): Promise<TrialResult> {
  const media = await get<MediaOfJob>(`${pathOf(jobId)}/media`, { limit: 1 }, signal);
  const medium = media.media[0]!;
  const base = `${pathOf(jobId)}/media/${medium.mediaId}`;
  const [lanes, { tracks, total }] = await Promise.all([
    get<readonly Lane[]>(`${base}/lanes`, {}, signal),
    get<TrackPage>(`${base}/tracks`, { limit: TRACKS }, signal),
  ]);
  const picture = await drawnPicture(base, medium, tracks, signal);
  return { tookMs, lanes, tracks, total, issues: medium.issues.map(({ message }) => message), picture };
}

async function drawnPicture(
  base: string,
  medium: Medium,
  tracks: readonly Track[],
  signal: AbortSignal,
): Promise<TrialResult['picture']> {
  const size = storedSize(medium);
  if (size === undefined) return undefined;
  const frame = tracks.find(({ exemplarFrame }) => exemplarFrame !== null)?.exemplarFrame ?? 0;
  const [response, { boxes }] = await Promise.all([
    fetch(urlOf(`${base}/frames/${frame}.jpg`), { signal }),
    get<BoxPage>(`${base}/boxes`, { fromFrame: frame, toFrame: frame, limit: BOXES }, signal),
  ]);
  if (!response.ok) return undefined;
  // The picture is copied, because it must outlive its job.
  const url = URL.createObjectURL(await response.blob());
  return { url, turned: turnPicture(size, medium.metadata), frame, boxes };
}

/** Deletes a job. A running job is only cancelled, and stays until a user deletes it. */
async function forget(jobId: string): Promise<void> {
  const { terminal } = await get<JobInfo>(pathOf(jobId)).catch(() => ({ terminal: true }));
  await (terminal ? send('DELETE', pathOf(jobId)) : send('POST', `${pathOf(jobId)}/cancel`)).catch(
    () => undefined,
  );
}

const pathOf = (jobId: string) => `rest/jobs/${encodeURIComponent(jobId)}`;
