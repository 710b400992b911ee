/** What similar findings are compared with: its address and the models that can be used. */
import type { z } from 'zod';
import type { vectorModels } from '../../../http/schemas/search/similar.ts';
import { useGet, type Loaded } from '../../kit/load.ts';
import { hrefOf } from '../../kit/route.ts';
import type { Hit } from '../hit.tsx';

export type VectorModels = z.output<typeof vectorModels>;

/** A part of a frame of a medium, in pixels as a viewer shows it. */
export interface Crop {
  readonly jobId: string;
  readonly mediaId: number;
  readonly frame: number;
  /** Time of the frame in the viewer: milliseconds. */
  readonly atMs: number;
  readonly box: NonNullable<Hit['box']>;
}

/** A track. Its id is given if the track has a vector. */
interface Likeable extends Pick<Crop, 'jobId' | 'mediaId'> {
  readonly trackId: string | undefined;
  readonly crop: Crop | undefined;
}

/** Loads the models that can make a vector of a crop. The server has none if its search is off. */
export const useVectorModels = (): Loaded<VectorModels> => useGet<VectorModels>('rest/search/models');

export const canCompareCrops = ({ value }: Loaded<VectorModels>): boolean => (value?.models.length ?? 0) > 0;

/** Returns the address of the view with similar findings. Returns undefined if nothing can be compared. */
export function similarTo({ jobId, mediaId, trackId, crop }: Likeable): string | undefined {
  if (trackId === undefined && crop === undefined) return undefined;
  const { frame, atMs: t, box } = crop ?? {};
  const sides = box && [box.x, box.y, box.width, box.height].join(' ');
  return hrefOf(['search', 'similar'], { job: jobId, media: mediaId, track: trackId, frame, t, box: sides });
}

/** Returns the address of findings that are similar to a hit. `canCrop`: the server has a model for crops. */
export const similarToHit = (hit: Hit, canCrop: boolean): string | undefined =>
  similarTo({
    jobId: hit.jobId,
    mediaId: hit.mediaId,
    trackId: hit.vectorModel === null ? undefined : hit.trackId,
    crop: canCrop ? cropOfHit(hit) : undefined,
  });

/** The server can read neither the frames of a past live stream as a medium, nor pictures from documents. */
function cropOfHit(hit: Hit): Crop | undefined {
  const { jobId, mediaId, mediaType, frame, box, startOffsetTime, stream, page } = hit;
  if (stream !== null || page !== null || box === null || frame === null) return undefined;
  const crop = { jobId, mediaId, atMs: Math.round(startOffsetTime), box: wholeBox(box) };
  if (mediaType === 'IMAGE') return { ...crop, frame: 0 };
  return mediaType === 'VIDEO' ? { ...crop, frame } : undefined;
}

/** Returns the box in whole pixels. Its upper left corner is in the picture. */
export function wholeBox({ x, y, width, height }: Crop['box']): Crop['box'] {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  const sizeOf = (from: number, to: number) => Math.max(1, Math.ceil(to) - from);
  return { x: left, y: top, width: sizeOf(left, x + width), height: sizeOf(top, y + height) };
}

/** Returns the crop in the address of the view. */
export function cropIn(query: URLSearchParams): Crop | undefined {
  const sides = /^(\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,9})$/.exec(query.get('box') ?? '');
  const [jobId, mediaId] = [query.get('job'), query.get('media')];
  if (sides === null || jobId === null || mediaId === null) return undefined;
  const [x = 0, y = 0, width = 1, height = 1] = sides.slice(1).map(Number);
  const [frame = 0, atMs = 0] = ['frame', 't'].map((name) => Number(query.get(name)) || 0);
  return { jobId, mediaId: Number(mediaId), frame, atMs, box: { x, y, width, height } };
}

/** Names in the address that say what is compared. All others are filters. */
const TARGET = ['job', 'media', 'track', 'frame', 't', 'box', 'words', 'picture', 'n', 'model'];

/** Returns the part of the address that says what is compared. */
export const targetIn = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries([...query].filter(([name]) => TARGET.includes(name)));
