/** What a medium is: its type, size, length and the times of its frames (metadata keys: specification 2.1). */
import type { Issue, MediaType, MediumFacts, Properties } from '../pipeline/types.ts';
import { openContainer } from './container.ts';
import type { Container } from './container.ts';
import { firstLine } from './first-line.ts';
import { hashFile } from './hash.ts';
import { inspectImage } from './inspect-image.ts';
import { inspectVideo } from './inspect-video.ts';
import { MediumError } from './medium-error.ts';
import { UNKNOWN_MIME, mimeTypeOf } from './mime.ts';

export interface InspectOptions {
  /** Hex SHA-256 of the file, when it is known already. */
  readonly sha256?: string | undefined;
  /** The name of the file as the client knows it; tells kinds of text apart. */
  readonly name?: string | undefined;
  /** What can be read of a damaged medium is processed, with a warning. */
  readonly toleratesDamage?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Inspection {
  readonly facts: MediumFacts;
  readonly warnings: readonly Issue[];
}

/** What a kind of medium contributes. */
export type Findings = Pick<MediumFacts, 'mediaType' | 'length' | 'frameTimes'> & {
  readonly metadata: Properties;
  readonly warnings: readonly Issue[];
};

/** Videos by content whose MIME types do not begin with video/. */
const VIDEO_TYPES = [
  'application/x-matroska',
  'application/x-vnd.rn-realmedia',
  'application/mp4',
  'image/gif',
];
/** FFmpeg's names of formats that have no unmistakable beginning; such a file is taken for one only when it is sure. */
const MIME_BY_FORMAT: Readonly<Record<string, string>> = {
  mpeg: 'video/mpeg',
  mpegvideo: 'video/mpeg',
  mpegts: 'video/vnd.dlna.mpeg-tts',
  h264: 'video/x-h264',
  hevc: 'video/x-h265',
  m4v: 'video/x-m4v',
  dv: 'video/x-dv',
  mp3: 'audio/mpeg',
  aac: 'audio/x-aac',
  ac3: 'audio/ac3',
  amr: 'audio/amr',
  gsm: 'audio/x-gsm',
};
const SURE = 50;

/** Errors: MEDIA_INSPECTION (damaged, truncated, unknown codec), FRAME_COUNT. */
export async function inspect(path: string, options: InspectOptions = {}): Promise<Inspection> {
  const sha256 = options.sha256 ?? (await hashFile(path, options.signal));
  const mimeType = await refineMime(path, await mimeTypeOf(path, options.name));
  const { metadata, warnings, ...found } = await find(path, mimeType, options);
  return { facts: { ...found, mimeType, sha256, metadata: { MIME_TYPE: mimeType, ...metadata } }, warnings };
}

export function mediaTypeOf(mimeType: string): MediaType {
  if (mimeType.startsWith('video/') || VIDEO_TYPES.includes(mimeType)) return 'VIDEO';
  if (mimeType.startsWith('image/')) return 'IMAGE';
  return mimeType.startsWith('audio/') ? 'AUDIO' : 'UNKNOWN';
}

async function find(path: string, mimeType: string, options: InspectOptions): Promise<Findings> {
  try {
    switch (mediaTypeOf(mimeType)) {
      case 'IMAGE':
        return await inspectImage(path, mimeType);
      case 'VIDEO':
      case 'AUDIO':
        return await inspectStreams(path, mediaTypeOf(mimeType), options);
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

async function inspectStreams(path: string, claimed: MediaType, options: InspectOptions): Promise<Findings> {
  const container = openContainer(path);
  try {
    const warnings: Issue[] = [];
    if (claimed === 'VIDEO') {
      if (container.video !== undefined) return await inspectVideo(container, container.video, options);
      warnings.push({
        code: 'MISSING_VIDEO_STREAM',
        message: 'The medium has no video stream and is treated as audio.',
      });
    }
    if (container.audio !== undefined) return inspectAudio(container, warnings);
    const message = 'The medium has no audio stream and is treated as a medium of unknown type.';
    warnings.push({ code: 'MISSING_AUDIO_STREAM', message });
    return { mediaType: 'UNKNOWN', length: -1, metadata: {}, warnings };
  } finally {
    container.close();
  }
}

function inspectAudio(container: Container, warnings: Issue[]): Findings {
  const { duration } = container;
  if (duration === undefined)
    warnings.push({ code: 'MEDIA_INSPECTION', message: 'Cannot detect audio file duration.' });
  const metadata = duration === undefined ? {} : { DURATION: String(duration) };
  return { mediaType: 'AUDIO', length: -1, metadata, warnings };
}

/** Asks FFmpeg about files whose beginning tells nothing (MPEG streams cut anywhere, raw codecs). */
function refineMime(path: string, mimeType: string): Promise<string> {
  return Promise.resolve().then(() => {
    if (mimeType !== UNKNOWN_MIME) return mimeType;
    try {
      const container = openContainer(path);
      try {
        const sure =
          container.format.probeScore >= SURE && (container.video ?? container.audio) !== undefined;
        return (sure && MIME_BY_FORMAT[container.format.iformat?.name ?? '']) || mimeType;
      } finally {
        container.close();
      }
    } catch {
      return mimeType;
    }
  });
}
