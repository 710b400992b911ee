/** Inspects videos and sound with FFmpeg. */
import type { Issue, MediaType } from '../../domain/types.ts';
import { openContainer } from '../libav/container.ts';
import type { Container } from '../libav/container.ts';
import { inspectVideo } from './inspect-video.ts';
import type { Findings, InspectOptions } from './inspection.ts';
import { UNKNOWN_MIME } from './mime.ts';
import { cachedScan } from '../libav/packet-scan.ts';
import { truncationMessage, truncationOf } from './truncation.ts';

/** MIME types by FFmpeg's names of formats without a clear signature. FFmpeg must be certain of the format. */
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

/** Inspects a video or sound. `claimed`: VIDEO or AUDIO, by the file's first bytes. Throws the errors of `inspect`. */
export async function inspectStreams(
  path: string,
  claimed: MediaType,
  options: InspectOptions,
): Promise<Findings> {
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
    if (container.audio !== undefined) return await inspectAudio(container, warnings, options);
    const message = 'The medium has no audio stream and is treated as a medium of unknown type.';
    warnings.push({ code: 'MISSING_AUDIO_STREAM', message });
    return { mediaType: 'UNKNOWN', length: -1, metadata: {}, warnings };
  } finally {
    container.close();
  }
}

async function inspectAudio(
  container: Container,
  warnings: Issue[],
  { signal, ignoresDamage = false }: InspectOptions,
): Promise<Findings> {
  const truncation = truncationOf(container, undefined, await cachedScan(container.path, signal));
  if (truncation !== undefined && !ignoresDamage)
    warnings.push({ code: 'MEDIA_INSPECTION', message: truncationMessage(truncation) });
  const duration = truncation?.readMs ?? container.duration;
  if (duration === undefined)
    warnings.push({ code: 'MEDIA_INSPECTION', message: 'Cannot detect audio file duration.' });
  const metadata = duration === undefined ? {} : { DURATION: String(duration) };
  return { mediaType: 'AUDIO', length: -1, metadata, warnings };
}

/** Returns the MIME type that FFmpeg finds for files without a signature (MPEG streams cut anywhere, raw codecs). */
export function mimeByFormat(path: string): string {
  try {
    const container = openContainer(path);
    try {
      const sure = container.format.probeScore >= SURE && (container.video ?? container.audio) !== undefined;
      return (sure && MIME_BY_FORMAT[container.format.iformat?.name ?? '']) || UNKNOWN_MIME;
    } finally {
      container.close();
    }
  } catch {
    return UNKNOWN_MIME;
  }
}
