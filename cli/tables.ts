/** What a job has found, as text for people. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { alignedRows } from './columns.ts';
import type { JobInfo } from './rest-client.ts';
import type { DocumentSummary, IssueSummary, MediumSummary, TrackSummary } from './summary.ts';
import { printable, shortened } from './terminal.ts';

const HEADINGS = ['TRACK', 'TIME', 'FRAMES', 'CONFIDENCE', 'DETECTIONS', 'WORDS AND PROPERTIES'];
const WORDS_LENGTH = 80;
const NAME_LENGTH = 120;

/** How a job ended. */
export function jobLine(job: JobInfo): string {
  const ms = job.endDate === null ? undefined : Date.parse(job.endDate) - Date.parse(job.startDate);
  const after = ms === undefined ? '' : ` after ${(ms / 1_000).toFixed(1)} s`;
  return `Job ${job.jobId} (${printable(job.pipelineName)}): ${job.jobStatus}${after}`;
}

/** A table a medium, then what went wrong. `known`: what people call the media of some URIs. */
export function documentLines(
  { status, media, errors, warnings }: DocumentSummary,
  known: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const nameOf = ({ path: uri }: MediumSummary) => mediumName(known.get(uri) ?? uri);
  const names = new Map(media.map((medium) => [medium.mediaId, nameOf(medium)]));
  const failed = new Set(errors.map(({ mediaId }) => mediaId));
  // nothing found is no finding when the medium was not looked at to its end
  const reason = ({ mediaId }: MediumSummary): string => {
    if (status.startsWith('CANCELLED')) return ' before the job was cancelled';
    return failed.has(mediaId) ? ': see its errors' : '';
  };
  return [
    ...media.flatMap((medium) => ['', ...mediumLines(medium, nameOf(medium), reason(medium))]),
    ...(errors.length + warnings.length > 0 ? [''] : []),
    ...errors.map((issue) => issueLine('error', issue, names)),
    ...warnings.map((issue) => issueLine('warning', issue, names)),
  ];
}

/** h:mm:ss.mmm */
function timeText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const part = (unit: number, modulo: number) => Math.floor(whole / unit) % modulo;
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3_600_000);
  return `${hours}:${two(part(60_000, 60))}:${two(part(1_000, 60))}.${String(whole % 1_000).padStart(3, '0')}`;
}

/** A file as one would type it here; another URI as it is, without the data in it. */
function mediumName(uri: string): string {
  if (/^data:/i.test(uri)) return `${shortened(printable(uri.replace(/,.*$/s, ',')), NAME_LENGTH)}…`;
  return shortened(printable(/^file:/i.test(uri) ? fileName(uri) : uri), NAME_LENGTH);
}

function fileName(uri: string): string {
  try {
    const file = fileURLToPath(uri);
    const near = path.relative('.', file);
    return near.startsWith('..') ? file : near;
  } catch {
    return uri;
  }
}

function mediumLines(medium: MediumSummary, name: string, reason: string): readonly string[] {
  const { tracks, trackCount } = medium;
  const title = [name, facts(medium)].filter((text) => text !== '').join('  ');
  if (trackCount === 0) return [title, `  nothing found${reason}`];
  const rows = alignedRows([HEADINGS, ...tracks.map((track) => row(track, medium.mediaType))]).map(
    (line) => `  ${line}`,
  );
  const more = trackCount - tracks.length;
  return [title, ...rows, ...(more > 0 ? [`  and ${more} more tracks: the document has them all`] : [])];
}

function facts({ mimeType, mediaType, length, mediaMetadata }: MediumSummary): string {
  const { FRAME_WIDTH: width, FRAME_HEIGHT: height, DURATION: duration } = mediaMetadata;
  const known = [
    mimeType,
    width !== undefined && height !== undefined ? `${width}x${height}` : '',
    mediaType === 'VIDEO' && length >= 0 ? `${length} frames` : '',
    duration !== undefined && Number.isFinite(Number(duration)) ? timeText(Number(duration)) : '',
  ];
  return printable(known.filter((fact) => fact !== '').join(', '));
}

function row(track: TrackSummary, mediaType: string): readonly string[] {
  const timed = mediaType === 'VIDEO' || mediaType === 'AUDIO';
  return [
    printable(track.type),
    timed ? `${timeText(track.startOffsetTime)} - ${timeText(track.stopOffsetTime)}` : '',
    mediaType === 'VIDEO' ? `${track.startOffsetFrame} - ${track.stopOffsetFrame}` : '',
    track.confidence < 0 ? '' : track.confidence.toFixed(2),
    String(track.detections),
    words(track.properties),
  ];
}

/** The words first, then what else is said about the track. */
function words({ TEXT: text, ...others }: Readonly<Record<string, string>>): string {
  const rest = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  const all = [...(text === undefined ? [] : [`"${text}"`]), ...rest].join('  ');
  return shortened(printable(all), WORDS_LENGTH);
}

function issueLine(kind: string, issue: IssueSummary, names: ReadonlyMap<number, string>): string {
  const name = issue.mediaId === undefined ? undefined : names.get(issue.mediaId);
  const where = [name, issue.source].filter((text) => text !== undefined && text !== '').join(', ');
  return `${kind} ${printable(issue.code)} (${printable(where)}): ${printable(issue.message)}`;
}
