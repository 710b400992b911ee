import { artifactHref } from '../../document/hrefs.ts';
import type { PictureSource } from '../asked-pictures.ts';
import type { Crop, MediumSummary } from './survey.ts';

/** Frames and pictures of detections in a report, and their size together. */
const MOST_PICTURES = 150;
const MOST_BYTES = 8 * 1024 * 1024;
/** A larger picture of a detection is shown as a part of its frame. */
const MOST_ARTIFACT_BYTES = 60_000;

/** A picture in the page: whole, or a part of a frame that is in the page already or comes with it. */
export type Embedded =
  | { readonly kind: 'picture'; readonly uri: string }
  /** `uri` is absent where the frame is in the page already. */
  | { readonly kind: 'frame'; readonly id: string; readonly uri?: string };

/** Asks for the pictures of a report, each once, as long as there is room. */
export class EmbeddedPictures {
  readonly #source: PictureSource;
  readonly #job: number;
  /** undefined: it cannot be had. */
  readonly #frames = new Map<string, string | undefined>();
  #count = 0;
  #bytes = 0;
  /** Some could not be had: the medium is gone, or is of another service. */
  isMissing = false;
  /** There was no room for some. */
  isFull = false;

  constructor(source: PictureSource, job: number) {
    this.#source = source;
    this.#job = job;
  }

  async of({ medium, size }: MediumSummary, { frame, artifact }: Crop): Promise<Embedded | undefined> {
    const key = `${medium.mediaId}-${frame}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return { kind: 'frame', id: known };
    const path = artifactHref(artifact);
    const crop =
      path === null ? undefined : await this.#load({ job: this.#job, artifact: path }, 'image/png');
    if (crop !== undefined) return { kind: 'picture', uri: crop };
    // Without a size no part of the frame can be shown.
    if (this.#frames.has(key) || size.width <= 0) return undefined;
    const wanted = { job: this.#job, mediaId: medium.mediaId, frame, small: true };
    const uri = await this.#load(wanted, 'image/jpeg');
    const id = `frame-${key}`;
    this.#frames.set(key, uri === undefined ? undefined : id);
    return uri === undefined ? undefined : { kind: 'frame', id, uri };
  }

  async #load(wanted: Parameters<PictureSource>[0], type: string): Promise<string | undefined> {
    if (this.#count >= MOST_PICTURES || this.#bytes >= MOST_BYTES) {
      this.isFull = true;
      return undefined;
    }
    const bytes = await this.#source(wanted);
    if (bytes === undefined) {
      this.isMissing ||= !('artifact' in wanted);
      return undefined;
    }
    if ('artifact' in wanted && bytes.length > MOST_ARTIFACT_BYTES) return undefined;
    this.#count += 1;
    this.#bytes += bytes.length;
    return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  }
}
