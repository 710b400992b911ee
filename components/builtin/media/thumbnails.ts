/** Makes small pictures of fetched media together with the document, because their files are deleted when the job ends. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { isEmptyBox } from '../../../domain/geometry/geometry.ts';
import { hasPages } from '../../../domain/plan/media-types.ts';
import { MOST_EXEMPLARS, shownFrame } from '../../../domain/frames/shown-frame.ts';
import type { DocumentMedium } from '../../../protocol/document-work.ts';
import { THUMBNAIL_PIXELS, thumbnailName } from '../../../results/layout.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { parseFinished } from './finish/finished-line.ts';

/** Timeout for all pictures of a job in milliseconds. The job waits for them, and later pictures are not made. */
const MOST_MS = 2_000;
/** Maximum number of media of a job that get a picture. More would exceed the timeout, and their data takes memory. */
const MOST_PICTURES = 128;

interface Exemplar {
  readonly frame: number;
  readonly confidence: number;
}

interface Pictured {
  readonly medium: DocumentMedium;
  readonly exemplars: Exemplar[];
}

export class Thumbnails {
  readonly #pictured: Pictured[] = [];
  /** The medium whose tracks are being written. */
  #current: Pictured | undefined;

  /** Starts a medium, before its tracks. */
  begin(medium: DocumentMedium): void {
    const isPictured = medium.fetched !== undefined && this.#pictured.length < MOST_PICTURES;
    this.#current = isPictured ? { medium, exemplars: [] } : undefined;
    if (this.#current !== undefined) this.#pictured.push(this.#current);
  }

  /** Adds a track of the medium, as JSON. */
  addTrack(line: string): void {
    const { exemplars } = this.#current ?? {};
    if (exemplars === undefined || exemplars.length >= MOST_EXEMPLARS) return;
    const { exemplar, confidence } = parseFinished(line).track;
    if (!isEmptyBox(exemplar)) exemplars.push({ frame: exemplar.offsetFrame, confidence });
  }

  /** Makes the pictures. Media without a picture, or too slow ones, have none. @throws the reason of the signal of `context` */
  async make(context: WorkContext): Promise<void> {
    const timeout = AbortSignal.timeout(MOST_MS);
    const limited = { ...context, signal: AbortSignal.any([context.signal, timeout]) };
    for (const { medium, exemplars } of this.#pictured) {
      if (timeout.aborted) return;
      await makePicture(medium, shownFrame(exemplars), limited).catch(() => context.signal.throwIfAborted());
    }
  }
}

async function makePicture(
  { fetched, indexed: { facts, inspected } }: DocumentMedium,
  frame: number,
  context: WorkContext,
): Promise<void> {
  if (fetched === undefined || facts === null) return;
  const { mediaType, mimeType, length, metadata, frameTimes } = facts;
  const isDocument = hasPages(mimeType);
  if (mediaType !== 'VIDEO' && mediaType !== 'IMAGE' && !isDocument) return;
  const { file, folder, place } = fetched;
  const shown = isDocument ? 0 : frame;
  const medium = { mediaType, mimeType, length, metadata, fps: frameTimes?.fps ?? 0, inspected };
  await mkdir(folder, { recursive: true });
  const { frame: makeFrame } = await import('./frame.ts');
  const work = {
    medium: { mediaId: 0, path: file, ...medium },
    frame: shown,
    to: path.join(folder, thumbnailName(place, shown)),
    longestSide: THUMBNAIL_PIXELS,
  };
  for await (const _ of makeFrame(work, context));
}
