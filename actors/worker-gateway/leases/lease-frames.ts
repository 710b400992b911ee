/** Frames of the media of sub-jobs, decoded for components that cannot do it. */
import { join } from 'node:path';
import type { FrameWork } from '../../../protocol/media-work.ts';
import { framesFolder } from '../../../results/layout.ts';
import { openServed } from '../../../results/served-file.ts';
import type { Store } from '../../../store/store.ts';
import { FairLine } from '../../frames/fair-line.ts';
import type { FrameService, FrameSettings } from '../../frames/frame-service.ts';
import type { Clock } from '../../basics/clock.ts';
import type { LeaseMedia, LeaseMedium } from './lease-media.ts';

export interface LeaseFrameDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly media: LeaseMedia;
  readonly frames: FrameService;
  readonly settings: FrameSettings & {
    /** Maximum number of frames that one lease may request at the same time. */
    readonly ofLease: number;
  };
}

export type LeaseFrame =
  | Exclude<LeaseMedium, { readonly kind: 'none' }>
  /** There is no such frame, or it cannot be decoded. */
  | { readonly kind: 'none'; readonly message: string }
  | { readonly kind: 'busy'; readonly message: string };

export type FrameFormat = 'jpeg' | 'png';

/** The file that the media component creates for a lease. */
interface Wanted {
  readonly work: Omit<FrameWork, 'to' | 'medium'>;
  readonly name: string;
  readonly mimeType: string;
}

/** Priority below that of viewers. */
const PRIORITY = 8;

export class LeaseFrames {
  readonly #deps: LeaseFrameDeps;
  /** Queue of the requests. Viewers have the same number of places for themselves. */
  readonly #line: FairLine;

  constructor(deps: LeaseFrameDeps) {
    this.#deps = deps;
    const { atOnce, ofLease } = deps.settings;
    this.#line = new FairLine(Math.ceil(atOnce / 2), ofLease);
  }

  /** Returns a stored frame of the medium of a sub-job. Waiting ends when `gone` aborts. */
  async frame(
    token: string,
    worker: string,
    { frame, format }: { readonly frame: number; readonly format: FrameFormat },
    gone: AbortSignal,
  ): Promise<LeaseFrame> {
    const found = await this.#findFrame(token, worker);
    if (found.kind !== 'medium') return found;
    const { mediaType, inspected, length, mediaId } = found.medium;
    const count = mediaType === 'IMAGE' ? 1 : inspected ? length : Infinity;
    if (frame >= count)
      return { kind: 'none', message: `The medium has ${count} frame(s), numbered from 0.` };
    const work = { frame, stored: true as const, ...(format === 'png' ? { format } : {}) };
    const name = `of-medium-${mediaId}-${frame}.${format === 'png' ? 'png' : 'jpg'}`;
    return this.#inTurn(token, found, { work, name, mimeType: `image/${format}` }, gone);
  }

  /** Returns the times of the frames of the medium: a file with a FrameTable as JSON. */
  async times(token: string, worker: string, gone: AbortSignal): Promise<LeaseFrame> {
    const found = await this.#findFrame(token, worker);
    if (found.kind !== 'medium') return found;
    const name = `of-medium-${found.medium.mediaId}.json`;
    return this.#inTurn(token, found, { work: { frame: null }, name, mimeType: 'application/json' }, gone);
  }

  async #findFrame(token: string, worker: string): Promise<LeaseFrame> {
    const found = await this.#deps.media.medium(token, worker);
    if (found.kind !== 'medium') return found;
    await found.file.file.close();
    const { mediaType } = found.medium;
    if (mediaType === 'VIDEO' || mediaType === 'IMAGE') return found;
    return { kind: 'none', message: `A medium of the type ${mediaType} has no frames.` };
  }

  async #inTurn(
    token: string,
    found: Extract<LeaseMedium, { readonly kind: 'medium' }>,
    wanted: Wanted,
    gone: AbortSignal,
  ): Promise<LeaseFrame> {
    const { clock, store, frames, settings } = this.#deps;
    const late = new AbortController();
    const cancel = clock.after(settings.waitMs, () => late.abort());
    const { medium, folder } = found;
    const { work, name, mimeType } = wanted;
    try {
      const made = await this.#line.run(token, AbortSignal.any([gone, late.signal]), () =>
        frames.makeFile(join(framesFolder(folder), name), { medium, ...work }, PRIORITY),
      );
      if (made === undefined) return this.#busy();
      if (made.kind === 'failed') return { kind: 'none', message: made.message };
      if (made.kind === 'busy') return made;
      // A request for frames counts as progress of the sub-job.
      await store.work.noteArrival(token, false);
      const file = await openServed(made.path);
      return file === undefined ? this.#busy() : { ...found, file: { file, mimeType, name } };
    } finally {
      cancel();
    }
  }

  #busy(): LeaseFrame {
    const { ofLease } = this.#deps.settings;
    return {
      kind: 'busy',
      message: `The frame is not made yet: one sub-job may ask for ${ofLease} at a time, and all wait in turn. Ask again.`,
    };
  }
}
