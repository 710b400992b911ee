/** The results of a job as text. */
import type { DocumentMarkup, JobInfo } from '../../client/answers.ts';
import { alignedRows } from '../terminal/columns.ts';
import { asFamilies, namesOf } from './medium-names.ts';
import { placeName } from '../terminal/names.ts';
import type { DocumentSummary, IssueSummary, MediumSummary, Some, TrackSummary } from './summary.ts';
import { zoneCountLines } from './zone-lines.ts';
import { printable, shortenText } from '../../domain/text/printable.ts';

const HEADINGS = ['TRACK', 'TIME', 'FRAMES', 'CONFIDENCE', 'DETECTIONS', 'WORDS AND PROPERTIES'];
const WORDS_LENGTH = 100;
/** Maximum length of a text that shares its cell with other values. */
const TEXT_LENGTH = 50;
const INDENT = '  ';
/** Number of media up to which a medium without findings has a table of its own. With more media, it has only a row in the overview. */
const MANY = 3;

/** Returns a line about the end of a job. */
export function jobLine(job: JobInfo): string {
  const ms = job.endDate === null ? undefined : Date.parse(job.endDate) - Date.parse(job.startDate);
  const after = ms === undefined ? '' : ` after ${(ms / 1_000).toFixed(1)} s`;
  const { mediaUris, mediaSucceeded } = job;
  const succeeded = succeededText(mediaUris.length, mediaSucceeded);
  return `Job ${job.jobId} (${printable(job.pipelineName)}): ${job.jobStatus}${after}${succeeded}`;
}

/** Returns the number of successful media if some have failed. */
const succeededText = (media: number, succeeded: number | undefined) =>
  succeeded === undefined || succeeded === media ? '' : `, ${succeeded} of ${media} media succeeded`;

/**
 * Returns a table for each medium, followed by media extracted from it, then errors and warnings. `known`: names of the media of some URIs.
 */
export function documentLines(
  { status, media, errors, warnings }: DocumentSummary,
  known: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const names = namesOf(media, known);
  const failed = new Set(errors.shown.map(({ mediaId }) => mediaId));
  // an unfinished medium without findings must not look like one where nothing was found
  const reason = (medium: MediumSummary): string => {
    if (status.startsWith('CANCELLED')) return ' before the job was cancelled';
    return failed.has(medium.mediaId) || medium.status !== 'COMPLETE' ? ': see its errors' : '';
  };
  const isUnfit = errors.shown.some(({ code }) => code === 'UNSUPPORTED_DATA_TYPE');
  const issues = [
    ...issueLines('error', errors, names),
    ...(isUnfit ? ['"troupe pipelines list" shows which pipeline is for which media.'] : []),
    ...issueLines('warning', warnings, names),
  ];
  const many = media.filter(({ parentMediaId }) => parentMediaId < 0).length > MANY;
  const told = asFamilies(media).filter(({ medium }) => !many || saysSomething(medium, reason(medium)));
  return [
    ...told.flatMap(({ medium, depth }) => [
      '',
      ...mediumLines(medium, names, reason(medium)).map((line) => `${INDENT.repeat(depth)}${line}`),
    ]),
    ...(issues.length > 0 ? ['', ...issues] : []),
  ];
}

const saysSomething = (medium: MediumSummary, reason: string) =>
  medium.tracks.count > 0 || medium.suppressed.size > 0 || reason !== '' || resultLines(medium).length > 0;

/** Returns a time as h:mm:ss.mmm. */
export function timeText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  const part = (unit: number, modulo: number) => Math.floor(whole / unit) % modulo;
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3_600_000);
  return `${hours}:${two(part(60_000, 60))}:${two(part(1_000, 60))}.${String(whole % 1_000).padStart(3, '0')}`;
}

function mediumLines(
  medium: MediumSummary,
  names: ReadonlyMap<number, string>,
  reason: string,
): readonly string[] {
  const name = names.get(medium.mediaId) ?? '';
  const parent = names.get(medium.parentMediaId);
  // its id equals DERIVATIVE_MEDIA_ID of its track
  const known = parent === undefined ? name : `medium ${medium.mediaId} of ${parent}: ${name}`;
  const title = [known, facts(medium)].filter((text) => text !== '').join('  ');
  return [
    title,
    ...[...trackLines(medium, reason), ...resultLines(medium)].map((line) => `${INDENT}${line}`),
  ];
}

function trackLines({ tracks, mediaType, suppressed }: MediumSummary, reason: string): readonly string[] {
  const hidden =
    suppressed.size === 0 ? [] : [`tracks of ${printable([...suppressed].join(', '))} are suppressed`];
  if (tracks.count === 0)
    return hidden.length > 0 && reason === '' ? hidden : [...hidden, `nothing found${reason}`];
  const rows = tracks.shown.map((track) => row(track, mediaType));
  return [
    ...(rows.length > 0 ? alignedRows([HEADINGS, ...rows]) : []),
    ...moreLine(tracks, 'tracks'),
    ...hidden,
  ];
}

/** Returns lines about files that were created from the tracks. */
function resultLines(medium: MediumSummary): readonly string[] {
  const { annotators, artifacts, markupResult, mediaSelectorsOutputUri: selected } = medium;
  const { zoneCounts, zoneWarnings } = medium;
  return [
    ...(annotators.size > 0 ? [`annotated by ${printable([...annotators].join(', '))}`] : []),
    ...artifactLine(artifacts),
    ...(markupResult === null ? [] : [markupLine(markupResult)]),
    ...(selected === null ? [] : [`output of its selectors: ${placeName(selected)}`]),
    ...(zoneCounts === null ? [] : zoneCountLines(zoneCounts)),
    ...zoneWarnings.map((warning) => printable(warning)),
  ];
}

function artifactLine({ count, failed, folder = '' }: MediumSummary['artifacts']): readonly string[] {
  if (count + failed === 0) return [];
  const place = folder === '' ? '' : ` in ${placeName(folder)}`;
  const lost = failed === 0 ? '' : `; ${failed} could not be made`;
  return [`${count} ${count === 1 ? 'artifact' : 'artifacts'}${place}${lost}`];
}

/** Returns the line about a marked-up copy. The errors and warnings contain the reason of a failure. */
function markupLine({ path: uri, status }: DocumentMarkup): string {
  if (uri === '') return `not marked up: ${printable(status)}`;
  return `marked up: ${placeName(uri)}${status === 'COMPLETE' ? '' : ` (${printable(status)})`}`;
}

function moreLine({ shown, count }: Some<unknown>, what: string): readonly string[] {
  if (count === shown.length) return [];
  const more = shown.length === 0 ? `${count} ${what}` : `and ${count - shown.length} more ${what}`;
  return [`${more}: the document has them all`];
}

function facts({ mimeType, mediaType, length, mediaMetadata, timeRanges }: MediumSummary): string {
  const { FRAME_WIDTH: width, FRAME_HEIGHT: height, DURATION: duration } = mediaMetadata;
  const known = [
    mimeType,
    width !== undefined && height !== undefined ? `${width}x${height}` : '',
    mediaType === 'VIDEO' && length >= 0 ? `${length} ${length === 1 ? 'frame' : 'frames'}` : '',
    duration !== undefined && Number.isFinite(Number(duration)) ? timeText(Number(duration)) : '',
    // also for --from and --to, because the service applies them to videos only
    mediaType === 'AUDIO' && timeRanges.length > 0 ? 'all of it: only videos are cut by time' : '',
  ];
  return printable(known.filter((fact) => fact !== '').join(', '));
}

function row(track: TrackSummary, mediaType: string): readonly string[] {
  return [
    printable(track.type),
    isTimed(mediaType) ? timeRange(track) : '',
    mediaType === 'VIDEO' ? frameRange(track) : '',
    track.confidence < 0 ? '' : track.confidence.toFixed(2),
    String(track.detections),
    words(track.properties),
  ];
}

export const isTimed = (mediaType: string) => mediaType === 'VIDEO' || mediaType === 'AUDIO';
const timeRange = ({ startOffsetTime, stopOffsetTime }: TrackSummary) =>
  `${timeText(startOffsetTime)} - ${timeText(stopOffsetTime)}`;
const frameRange = ({ startOffsetFrame, stopOffsetFrame }: TrackSummary) =>
  `${startOffsetFrame} - ${stopOffsetFrame}`;

/** Returns the text first, then the other properties of a track. Omits empty values and vectors (FEATURE), which users cannot read. */
function words({ TEXT: text, FEATURE: _, ...others }: Readonly<Record<string, string>>): string {
  const rest = Object.entries(others).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`]));
  const said = text === undefined || rest.length === 0 ? text : shortenText(text, TEXT_LENGTH);
  const all = [...(said === undefined ? [] : [`"${said}"`]), ...rest].join('  ');
  return shortenText(printable(all), WORDS_LENGTH);
}

export function issueLines(
  kind: string,
  issues: Some<IssueSummary>,
  names: ReadonlyMap<number, string>,
): readonly string[] {
  const lines = issues.shown.map((issue) => {
    const name = issue.mediaId === undefined ? undefined : names.get(issue.mediaId);
    return issueLine(kind, issue, [name, issue.source]);
  });
  return [...lines, ...moreLine(issues, `${kind}s`)];
}

function issueLine(
  kind: string,
  { code, message }: Pick<IssueSummary, 'code' | 'message'>,
  places: readonly (string | undefined)[],
): string {
  const where = places.filter((text) => text !== undefined && text !== '').join(', ');
  return `${kind} ${printable(code)} (${printable(where)}): ${printable(message)}`;
}
