/** What similar findings are compared with: its address and the models that can be used. */
import type { z } from 'zod';
import type { vectorModels } from '../../../http/schemas/search/similar.ts';
import { urlOf } from '../api.ts';
import { useGet, type Loaded } from '../load.ts';
import { hrefOf } from '../route.ts';
import type { Hit } from './types.ts';

export type VectorModels = z.output<typeof vectorModels>;

/** A part of a frame of a medium or of a recorded camera, in pixels as a viewer shows it. */
export interface Crop {
  readonly jobId: string;
  readonly mediaId: number;
  /** True: `jobId` is a live stream. */
  readonly isLive: boolean;
  readonly frame: number;
  /** Time of the frame in the viewer, or of the camera: milliseconds. */
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
  const { frame, atMs: t, box, isLive } = crop ?? {};
  const sides = box && [box.x, box.y, box.width, box.height].join(' ');
  const live = isLive === true ? 1 : undefined;
  return hrefOf(['search', 'similar'], {
    job: jobId,
    media: mediaId,
    track: trackId,
    frame,
    t,
    box: sides,
    live,
  });
}

/** Returns the address of findings that are similar to a hit. `canCrop`: the server has a model for crops. */
export const similarToHit = (hit: Hit, canCrop: boolean): string | undefined =>
  similarTo({
    jobId: hit.jobId,
    mediaId: hit.mediaId,
    trackId: hit.vectorModel === null ? undefined : hit.trackId,
    crop: canCrop ? cropOfHit(hit) : undefined,
  });

function cropOfHit({
  jobId,
  mediaId,
  mediaType,
  frame,
  box,
  startOffsetTime,
  stream,
}: Hit): Crop | undefined {
  if (box === null || frame === null || (mediaType !== 'IMAGE' && mediaType !== 'VIDEO')) return undefined;
  const atMs = stream === null ? Math.round(startOffsetTime) : Date.parse(stream.startDate);
  const at = { frame: mediaType === 'IMAGE' ? 0 : frame, atMs, box: wholeBox(box) };
  return { jobId, mediaId, isLive: stream !== null, ...at };
}

/** Returns the box in whole pixels. Its upper left corner is in the picture. */
export function wholeBox({ x, y, width, height }: Crop['box']): Crop['box'] {
  const [left, top] = [Math.max(0, Math.floor(x)), Math.max(0, Math.floor(y))];
  const sizeOf = (from: number, to: number) => Math.max(1, Math.ceil(to) - from);
  return { x: left, y: top, width: sizeOf(left, x + width), height: sizeOf(top, y + height) };
}

/** Latest time of a date in JavaScript. */
const LAST_MS = 8.64e15;

/** Returns the crop in the address of the view. */
export function cropIn(query: URLSearchParams): Crop | undefined {
  const sides = /^(\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,9})$/.exec(query.get('box') ?? '');
  const [jobId, mediaId] = [query.get('job'), query.get('media')];
  if (sides === null || jobId === null || mediaId === null) return undefined;
  const [x = 0, y = 0, width = 1, height = 1] = sides.slice(1).map(Number);
  const [frame = 0, atMs = 0] = ['frame', 't'].map((name) => Math.min(Number(query.get(name)) || 0, LAST_MS));
  const box = { x, y, width, height };
  return { jobId, mediaId: Number(mediaId), isLive: query.has('live'), frame, atMs, box };
}

/** Returns the address of the picture with a crop. A live stream has one only if it is recorded. */
export function pictureOf(
  { jobId, mediaId, frame, isLive }: Omit<Crop, 'box' | 'atMs'>,
  isSmall = false,
): string {
  const id = encodeURIComponent(jobId);
  if (isLive) return urlOf(`rest/streaming/jobs/${id}/recordings/snapshot.jpg`, { frame });
  return urlOf(`rest/jobs/${id}/media/${mediaId}/frames/${frame}.jpg`, isSmall ? { small: true } : {});
}

/** Names in the address that say what is compared. All others are filters. */
const TARGET = ['job', 'media', 'track', 'frame', 't', 'box', 'live', 'words', 'picture', 'n', 'model'];

/** Returns the part of the address that says what is compared. */
export const targetIn = (query: URLSearchParams): Readonly<Record<string, string>> =>
  Object.fromEntries([...query].filter(([name]) => TARGET.includes(name)));
