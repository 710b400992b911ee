import { artifactHref } from '../../document/hrefs.ts';
import type { PictureSource } from '../asked-pictures.ts';
import type { Crop, MediumSummary } from './survey.ts';

/** Maximum number of frames and pictures of detections in a report, and their maximum total size. */
const MOST_PICTURES = 150;
const MOST_BYTES = 8 * 1024 * 1024;
/** Maximum size of a picture of a detection. Larger ones are shown as a part of their frame. */
const MOST_ARTIFACT_BYTES = 60_000;

/** A picture in the page: whole, or a part of a frame that is in the page. */
export type Embedded =
  | { readonly kind: 'picture'; readonly uri: string }
  /** `uri` is absent if the frame is already in the page. */
  | { readonly kind: 'frame'; readonly id: string; readonly uri?: string };

/** Requests the pictures of a report, each once, while there is room. */
export class EmbeddedPictures {
  readonly #source: PictureSource;
  readonly #job: number;
  /** Undefined if the frame is not available. */
  readonly #frames = new Map<string, string | undefined>();
  #count = 0;
  #bytes = 0;
  /** True if some were not available: the medium was deleted, or belongs to another service. */
  isMissing = false;
  /** True if there was no room for some. */
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
    // Without a size, no part of the frame can be shown.
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
