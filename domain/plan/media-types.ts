/** The kind of a medium by its MIME type. */
import type { MediaType } from '../types.ts';

/** Containers and animations that are videos, although their MIME type does not say so. */
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

/** True for a document whose pages can be drawn. Its pictures are numbered like frames: page 1 is frame 0. */
export const hasPages = (mimeType: string): boolean => mimeType.trim().toLowerCase() === 'application/pdf';

/** Picture types that are converted before components read them, so they are always inspected. */
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

/** The MIME type that a `data:` URI states. Undefined if it states none, or for other URIs. */
export function statedType(uri: string): string | undefined {
  // Longer texts are no MIME types.
  const [, type] = /^data:([\w.+-]{1,127}\/[\w.+-]{1,127})[;,]/i.exec(uri.slice(0, 300)) ?? [];
  return type?.toLowerCase();
}
