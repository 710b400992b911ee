/**
 * ARTIFACTS: pictures of the detections that the policy selects. Tracks pass through in bounded batches. Each batch reads the frames that
 * it needs once, in order. If a picture cannot be made, its detection is FAILED; others are unaffected.
 */
import { join } from 'node:path';
import { inChunks, readLines, MAX_OWN_LINE_BYTES } from '../../../../results/lines.ts';
import { selectForArtifacts } from '../../../../domain/tracks/artifact-selection.ts';
import { frameListString } from '../../../../domain/frames/frame-list.ts';
import { booleanOf } from '../../../../domain/properties/properties.ts';
import type { Issue, Properties } from '../../../../domain/types.ts';
import type { ArtifactsWork, FinishSummary } from '../../../../protocol/track-work.ts';
import type { WorkContext } from '../../../sdk/work/work-context.ts';
import { PictureFiles } from './artifact-files.ts';
import { takePictures, type Wanted } from './artifact-pictures.ts';
import {
  detectionOf,
  exemplarIndex,
  isSummary,
  parseFinished,
  type FinishedTrack,
} from '../finish/finished-line.ts';

/** Limits of a batch in pictures and in characters of its lines. The batch ends with the track that reaches a limit. */
const BATCH_PICTURES = 20_000;
const BATCH_CHARACTERS = 32 * 1024 * 1024;
/** Maximum number of frames that the message about failed pictures names. */
const NAMED_FRAMES = 500;

/** Tracks whose pictures are taken in one pass over the frames. */
class Batch {
  readonly lines: { readonly text: string; readonly wanted: readonly Wanted[] }[] = [];
  readonly wanted: Wanted[] = [];
  #characters = 0;

  add(text: string, wanted: readonly Wanted[]): void {
    this.lines.push({ text, wanted });
    for (const one of wanted) this.wanted.push(one);
    this.#characters += text.length;
  }

  get isFull(): boolean {
    return this.wanted.length >= BATCH_PICTURES || this.#characters >= BATCH_CHARACTERS;
  }
}

/** Yields the lines of `work.tracks` with their pictures. */
export function artifacts(work: ArtifactsWork, context: WorkContext): AsyncGenerator<string> {
  return inChunks(linesWithArtifacts(work, context, new PictureFiles()));
}

async function* linesWithArtifacts(
  work: ArtifactsWork,
  context: WorkContext,
  files: PictureFiles,
): AsyncGenerator<string> {
  const failures = new Failures();
  let summary: FinishSummary | undefined;
  let batch = new Batch();
  let number = 0;
  let done = 0;
  const take = async function* (): AsyncGenerator<string> {
    const progress = (pictures: number): void => context.progress(done + pictures, 0);
    await takePictures(work.medium, batch.wanted, files, { signal: context.signal, progress });
    done += batch.wanted.length;
    for (const { text, wanted } of batch.lines) yield `${withPictures(text, wanted, failures)}\n`;
    batch = new Batch();
  };
  for await (const { text } of readLines(work.tracks, MAX_OWN_LINE_BYTES, context.signal)) {
    if (isSummary(text)) {
      summary = (JSON.parse(text) as { summary: FinishSummary }).summary;
      break;
    }
    batch.add(text, wantedOf(text, number++, work));
    if (batch.isFull) yield* take();
  }
  yield* take();
  if (summary === undefined) throw new Error('The tracks end without a summary: run the job again.');
  yield `${JSON.stringify({ summary: withIssues(summary, failures) })}\n`;
}

/** Returns the pictures to make for the track of a line. Pictures of an earlier task are kept. */
function wantedOf(line: string, number: number, work: ArtifactsWork): readonly Wanted[] {
  const { track } = parseFinished(line);
  const cropped = booleanOf(work.properties, 'ARTIFACT_EXTRACTION_POLICY_CROPPING');
  const folder = join(work.folder, cropped ? String(number) : '0');
  const taken = new Map<number, number>();
  return selectFrames(track, work.properties)
    .filter((index) => track.detections[index]?.artifactExtractionStatus !== 'COMPLETED')
    .flatMap((index) => {
      const written = track.detections[index];
      if (written === undefined) return [];
      const { frame, ...place } = detectionOf(written);
      const again = taken.get(frame) ?? 0;
      taken.set(frame, again + 1);
      const name = cropped && again > 0 ? `frame-${frame}-${again}.png` : `frame-${frame}.png`;
      return [{ detection: index, frame, cut: cropped ? place : null, path: join(folder, name) }];
    });
}

function selectFrames(track: FinishedTrack, properties: Properties): readonly number[] {
  const detections = track.detections.map(detectionOf);
  return selectForArtifacts({ type: track.type, detections, exemplar: exemplarIndex(track) }, properties);
}

/** Returns the line with the outcomes of its pictures; unchanged if it has none. */
function withPictures(line: string, wanted: readonly Wanted[], failures: Failures): string {
  if (wanted.length === 0) return line;
  const { track, rest } = parseFinished(line);
  const exemplar = exemplarIndex(track);
  for (const { detection, frame, outcome } of wanted) {
    const extracted = typeof outcome === 'string';
    if (!extracted) failures.add(frame, outcome);
    for (const one of [track.detections[detection], detection === exemplar ? track.exemplar : undefined]) {
      if (one === undefined) continue;
      one.artifactExtractionStatus = extracted ? 'COMPLETED' : 'FAILED';
      one.artifactPath = extracted ? outcome : null;
    }
  }
  return `${JSON.stringify(track)}${rest}`;
}

/** Collects failed pictures for the message. */
class Failures {
  #count = 0;
  #reason = '';
  readonly #frames = new Set<number>();

  add(frame: number, reason: Error | undefined): void {
    if (this.#count === 0) this.#reason = reason?.message ?? 'The frame could not be read.';
    this.#count += 1;
    if (this.#frames.size < NAMED_FRAMES) this.#frames.add(frame);
  }

  issues(): readonly Issue[] {
    if (this.#count === 0) return [];
    const pictures = this.#count === 1 ? '1 picture' : `${this.#count} pictures`;
    const frames = frameListString([...this.#frames]) ?? '';
    const message = `${pictures} of detections could not be extracted: ${this.#reason} ${frames}`;
    return [{ code: 'ARTIFACT_EXTRACTION', message }];
  }
}

function withIssues(summary: FinishSummary, failures: Failures): FinishSummary {
  const errors = [...(summary.errors ?? []), ...failures.issues()];
  return errors.length > 0 ? { ...summary, errors } : summary;
}
