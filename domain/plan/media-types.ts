/** The kind of a medium by its MIME type. */
import type { MediaType } from '../types.ts';

/** Containers and animations whose MIME type does not say that they are videos. */
const VIDEO_TYPES: ReadonlySet<string> = new Set([
  'application/x-matroska',
  'application/x-vnd.rn-realmedia',
  'application/mp4',
  'image/gif',
]);

export function mediaTypeOf(mimeType: string): MediaType {
  const mime = mimeType.trim().toLowerCase();
  if (VIDEO_TYPES.has(mime) || mime.startsWith('video/')) return 'VIDEO';
  if (mime.startsWith('image/')) return 'IMAGE';
  return mime.startsWith('audio/') ? 'AUDIO' : 'UNKNOWN';
}

/** A document whose pages can be drawn: its pictures are numbered like frames, page 1 is frame 0. */
export const hasPages = (mimeType: string): boolean => mimeType.trim().toLowerCase() === 'application/pdf';

/** Pictures that are converted before components see them, and so are never taken on trust. */
const CONVERTED_TYPES: ReadonlySet<string> = new Set([
  'image/heic',
  'image/heif',
  'image/heic-sequence',
  'image/heif-sequence',
  'image/avif',
]);

export function needsConversion(mimeType: string): boolean {
  return CONVERTED_TYPES.has(mimeType.trim().toLowerCase());
}

/** The MIME type that a `data:` URI states; undefined when it states none, or is none. */
export function statedType(uri: string): string | undefined {
  // Longer ones are no names.
  const [, type] = /^data:([\w.+-]{1,127}\/[\w.+-]{1,127})[;,]/i.exec(uri.slice(0, 300)) ?? [];
  return type?.toLowerCase();
}
