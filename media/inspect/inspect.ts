/** Inspects a medium: type, size, duration and times of its frames (metadata keys: specification 2.1). */
import { statSync } from 'node:fs';
import { mediaTypeOf } from '../../domain/plan/media-types.ts';
import { firstLine } from '../first-line.ts';
import { hashFile } from './hash.ts';
import type { Findings, Inspection, InspectOptions } from './inspection.ts';
import { MediumError } from '../medium-error.ts';
import { UNKNOWN_MIME, mimeTypeOf, statedMime } from './mime.ts';

/** Inspects a medium. Throws MEDIA_INSPECTION if nothing can be read or the codec is unknown, FRAME_COUNT. */
export async function inspect(path: string, options: InspectOptions = {}): Promise<Inspection> {
  const sha256 = options.sha256 ?? (await hashFile(path, options.signal));
  const refined = await refinedMime(path, await mimeTypeOf(path, options.name));
  const mimeType = statedMime(refined, options.stated);
  const { metadata, warnings, ...found } = await find(path, mimeType, options).catch((error: unknown) => {
    if (error instanceof MediumError)
      error.known = {
        ...{ mediaType: mediaTypeOf(mimeType), length: -1, mimeType, sha256 },
        metadata: { MIME_TYPE: mimeType },
      };
    throw error;
  });
  return { facts: { ...found, mimeType, sha256, metadata: { MIME_TYPE: mimeType, ...metadata } }, warnings };
}

async function refinedMime(path: string, mimeType: string): Promise<string> {
  if (mimeType !== UNKNOWN_MIME) return mimeType;
  const { mimeByFormat } = await import('./inspect-streams.ts');
  return mimeByFormat(path);
}

/** Inspects by kind of medium. Decoders are loaded for the first medium of their kind. */
async function find(path: string, mimeType: string, options: InspectOptions): Promise<Findings> {
  try {
    if (statSync(path).size === 0)
      throw new MediumError('MEDIA_INSPECTION', 'The file is empty (0 bytes). Copy or upload it again.');
    switch (mediaTypeOf(mimeType)) {
      case 'IMAGE': {
        const { inspectImage } = await import('./inspect-image.ts');
        return await inspectImage(path, mimeType);
      }
      case 'VIDEO':
      case 'AUDIO': {
        const { inspectStreams } = await import('./inspect-streams.ts');
        return await inspectStreams(path, mediaTypeOf(mimeType), options);
      }
      case 'UNKNOWN':
        return { mediaType: 'UNKNOWN', length: -1, metadata: {}, warnings: [] };
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof MediumError && (error.code === 'MEDIA_INSPECTION' || error.code === 'FRAME_COUNT'))
      throw error;
    throw new MediumError('MEDIA_INSPECTION', `${firstLine(error)}.`, { cause: error });
  }
}
