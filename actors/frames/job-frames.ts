/** The frames of the media of batch jobs: when each is shown, and pictures of them, decoded by the media component. */
import { basename, extname, join } from 'node:path';
import { stat } from 'node:fs/promises';
import type { IndexedMedium } from '../../protocol/document-work.ts';
import type { FrameWork, WorkMedium } from '../../protocol/media-work.ts';
import { hasPages } from '../../domain/plan/media-types.ts';
import { frameTable, type FrameTable } from '../../domain/frames/frame-runs.ts';
import type { MediumFacts } from '../../domain/types.ts';
import { pathOf } from '../../results/file-keys.ts';
import { detectionFile, framesFolder, THUMBNAIL_PIXELS, thumbnailFile } from '../../results/layout.ts';
import { openServed } from '../../results/served-file.ts';
import {
  nameOf,
  type JobFile,
  type JobFiles,
  type Missing,
  type WholeMedium,
} from '../job-files/job-files.ts';
import type { FrameService } from './frame-service.ts';

/** A refusal because the server is overloaded, as a sentence. */
export interface Busy {
  readonly busy: string;
}

export interface JobFramesDeps {
  readonly files: JobFiles;
  readonly frames: FrameService;
  readonly dataDir: string;
  /** Limit for documents whose boxes are drawn. */
  readonly maxDocumentBytes: number;
}

interface Seen {
  readonly work: Omit<FrameWork, 'to' | 'frame'>;
  readonly facts: MediumFacts;
  readonly indexed: IndexedMedium;
  /** Position in the document, from 0. */
  readonly place: number;
  readonly folder: string;
}

export class JobFrames {
  readonly #deps: JobFramesDeps;

  constructor(deps: JobFramesDeps) {
    this.#deps = deps;
  }

  /** Returns the time of each frame: the table, or a file with its JSON. Returns undefined if there is no such job. */
  async times(number: number, mediaId: number): Promise<FrameTable | JobFile | Missing | Busy | undefined> {
    const seen = await this.#findMedium(number, mediaId);
    if (seen === undefined || 'missing' in seen) return seen;
    const { facts, indexed, work, place } = seen;
    const { mediaType, frameTimes, length } = facts;
    if (hasPages(facts.mimeType)) return { missing: 'The pages of a document have no times.' };
    if (mediaType === 'IMAGE') return { frames: 1, fps: 0, constantRate: true, runs: [[0, 0, 1]] };
    if (indexed.inspected && frameTimes?.constantRate === true) return frameTable(frameTimes, length);
    const key = join(framesFolder(seen.folder), `${place}.json`);
    return this.#makeFile(key, { ...work, frame: null }, 'application/json', 'frames.json');
  }

  /** A small picture of a frame, which is made once. Returns undefined if there is no such job. */
  async thumbnail(
    number: number,
    mediaId: number,
    frame: number,
  ): Promise<JobFile | Missing | Busy | undefined> {
    const known = await this.#deps.files.knownMedium(number, mediaId);
    if (known === undefined || 'missing' in known) return known;
    const key = thumbnailFile(known.folder, known.place, frame);
    const name = `${stemOf(known.medium)}-small-${frame}.jpg`;
    const openStored = async (): Promise<JobFile | undefined> => {
      const file = await openServed(pathOf(this.#deps.dataDir, key));
      return file && { file, mimeType: 'image/jpeg', name };
    };
    // The file of a fetched medium is deleted when its job ends, but the picture stays. Files of clients are checked each time.
    const stored = /^file:/i.test(known.medium.uri) ? undefined : await openStored();
    if (stored !== undefined) return stored;
    const seen = await this.#findMedium(number, mediaId);
    if (seen === undefined || 'missing' in seen) return seen;
    const absent = missingFrame(seen, frame);
    if (absent !== undefined) return absent;
    const work = { ...seen.work, frame, longestSide: THUMBNAIL_PIXELS };
    return (await openStored()) ?? this.#makeFile(key, work, 'image/jpeg', name);
  }

  /** A picture of a frame as a viewer shows it. Returns undefined if there is no such job. */
  async picture(
    number: number,
    mediaId: number,
    frame: number,
    boxes: boolean,
  ): Promise<JobFile | Missing | Busy | undefined> {
    const seen = await this.#findMedium(number, mediaId);
    if (seen === undefined || 'missing' in seen) return seen;
    const { indexed, folder, work, place } = seen;
    const absent = missingFrame(seen, frame);
    if (absent !== undefined) return absent;
    const document = boxes ? await this.#documentOf(folder) : undefined;
    if (typeof document === 'object') return document;
    const drawn = document === undefined ? {} : { boxes: { document, place } };
    const key = join(framesFolder(folder), `${place}-${frame}${boxes ? '-boxes' : ''}.jpg`);
    const name = `${stemOf(indexed)}-frame-${frame}.jpg`;
    return this.#makeFile(key, { ...work, ...drawn, frame }, 'image/jpeg', name);
  }

  async #findMedium(number: number, mediaId: number): Promise<Seen | Missing | undefined> {
    const found = await this.#deps.files.findMedium(number, mediaId);
    if (found === undefined || 'missing' in found) return found;
    await found.file.close();
    const { facts, inspected } = found.medium;
    if (facts === null)
      return {
        missing:
          'Nothing is known about this medium: the job has not inspected it yet, or wrote no document.',
      };
    const { mediaType, mimeType } = facts;
    if (mediaType !== 'VIDEO' && mediaType !== 'IMAGE' && !hasPages(mimeType))
      return { missing: `A medium of the type ${mediaType} has no frames.` };
    const medium = workMedium(found, facts, inspected);
    return { work: { medium }, facts, indexed: found.medium, place: found.place, folder: found.folder };
  }

  async #documentOf(folder: string): Promise<string | Missing> {
    const path = pathOf(this.#deps.dataDir, detectionFile(folder));
    const found = await stat(path).catch(() => undefined);
    if (found === undefined)
      return { missing: 'The job has no document yet from which boxes could be drawn.' };
    const { maxDocumentBytes: most } = this.#deps;
    if (found.size <= most) return path;
    return {
      missing: `The document is larger than ${most} bytes: its boxes are not drawn.`,
    };
  }

  async #makeFile(
    key: string,
    work: Omit<FrameWork, 'to'>,
    mimeType: string,
    name: string,
  ): Promise<JobFile | Missing | Busy> {
    const made = await this.#deps.frames.makeFile(key, work);
    if (made.kind === 'busy') return { busy: made.message };
    if (made.kind === 'failed') return { missing: made.message };
    const file = await openServed(made.path);
    return file === undefined
      ? { busy: 'The frame was deleted. Request it again.' }
      : { file, mimeType, name };
  }
}

function missingFrame({ facts, indexed }: Seen, frame: number): Missing | undefined {
  const isCounted = indexed.inspected && !hasPages(facts.mimeType);
  const count = facts.mediaType === 'IMAGE' ? 1 : isCounted ? facts.length : Infinity;
  if (frame < count) return undefined;
  return { missing: `The medium has ${count === 1 ? '1 frame' : `${count} frames`}, numbered from 0.` };
}

function stemOf(indexed: IndexedMedium): string {
  const name = nameOf(indexed);
  return basename(name, extname(name));
}

function workMedium({ path }: WholeMedium, facts: MediumFacts, inspected: boolean): WorkMedium {
  const { mediaType, mimeType, length, metadata } = facts;
  const fps = facts.frameTimes?.fps ?? 0;
  return { mediaId: 0, mediaType, mimeType, path, length, metadata, fps, inspected };
}
