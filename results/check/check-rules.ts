/**
 * Rules for results. Every function returns the first error, or undefined. Unknown fields are accepted for later versions of the protocol.
 */
import type { FetchedMedium, PreparedMedium } from '../../protocol/media-work.ts';
import type { DerivedMedium, TrackSection } from '../../protocol/track-work.ts';
import type { Issue, Range } from '../../domain/types.ts';

type Fields = Readonly<Record<string, unknown>>;

const MEDIA_TYPES = new Set(['VIDEO', 'IMAGE', 'AUDIO', 'UNKNOWN']);

/** `range.stop` below 0 stands for a whole medium without frames. */
export function wrongTrack(value: unknown, range: Range): string | undefined {
  if (!isFields(value)) return 'is not an object';
  const { startFrame, stopFrame, detections } = value;
  if (!isCount(startFrame) || !isCount(stopFrame))
    return 'has no startFrame and stopFrame of whole numbers from 0';
  if (value['fed'] !== undefined && !isCount(value['fed']))
    return 'has a "fed" that is not a whole number of at least 0';
  if (stopFrame < startFrame) return `stops at frame ${stopFrame}, before it starts`;
  if (range.stop >= 0 && (startFrame < range.start || stopFrame > range.stop))
    return `covers frames ${startFrame} to ${stopFrame}, outside of ${range.start} to ${range.stop}`;
  return (
    wrongTimes(value) ??
    wrongType(value['type']) ??
    wrongCommon(value) ??
    wrongDetections(detections, startFrame, stopFrame)
  );
}

/** True for a line that is not a track but a warning about a part of the medium that could not be processed. */
export function isWarning(value: unknown): value is Fields {
  return isFields(value) && Object.hasOwn(value, 'warning') && !Object.hasOwn(value, 'detections');
}

export function wrongWarning({ warning }: Fields): string | undefined {
  return typeof warning === 'string' && warning.trim() !== '' ? undefined : 'has a warning without text';
}

function wrongTimes({ startTime, stopTime }: Fields): string | undefined {
  if (startTime === undefined && stopTime === undefined) return undefined;
  if (!isFiniteNumber(startTime) || !isFiniteNumber(stopTime))
    return 'has a startTime or stopTime that is not a number';
  return stopTime < startTime ? `stops at ${stopTime} ms, before it starts` : undefined;
}

function wrongType(type: unknown): string | undefined {
  if (type === undefined) return undefined;
  return typeof type === 'string' && type.trim() !== '' && type.length <= 200
    ? undefined
    : 'has a type that is not a name';
}

function wrongCommon({ confidence, properties }: Fields): string | undefined {
  if (!isFiniteNumber(confidence)) return 'has a confidence that is not a number';
  return isProperties(properties) ? undefined : 'has properties that are not an object of texts';
}

function wrongDetections(detections: unknown, start: number, stop: number): string | undefined {
  if (!Array.isArray(detections) || detections.length === 0) return 'has no detections';
  let before = -1;
  for (const detection of detections as readonly unknown[]) {
    const wrong = wrongDetection(detection, start, stop);
    if (wrong !== undefined) return `has a detection that ${wrong}`;
    const { frame } = detection as { frame: number };
    if (frame <= before) return `has detections whose frames do not ascend (${before}, ${frame})`;
    before = frame;
  }
  return undefined;
}

function wrongDetection(value: unknown, start: number, stop: number): string | undefined {
  if (!isFields(value)) return 'is not an object';
  const { frame, time } = value;
  if (!isCount(frame)) return 'has no frame';
  if (frame < start || frame > stop) return `lies at frame ${frame}, outside of its track`;
  if (time !== undefined && !isFiniteNumber(time)) return 'has a time that is not a number';
  for (const side of ['x', 'y', 'width', 'height'])
    if (!isFiniteNumber(value[side])) return `has no number as its ${side}`;
  return wrongCommon(value);
}

/** Frames of a segment, and how many actions its stream has. */
export interface SegmentRange extends Range {
  readonly actions: number;
}

/** Checks a line of a segment of live video: a track whose times are those of the clock. */
export function wrongStreamTrack(value: unknown, range: SegmentRange): string | undefined {
  if (!isFields(value)) return 'is not an object';
  const { liveId, startTime, stopTime, open, action = 0 } = value;
  if (typeof liveId !== 'string' || liveId === '' || liveId.length > MAX_LIVE_ID)
    return `has no liveId of 1 to ${MAX_LIVE_ID} characters`;
  if (!isMoment(startTime) || !isMoment(stopTime)) return 'has no startTime and stopTime in milliseconds';
  if (open !== undefined && typeof open !== 'boolean') return 'has an open that is neither true nor false';
  if (!isCount(action) || action >= range.actions) return 'has an action that the stream does not have';
  const wrong = wrongTrack(value, range);
  if (wrong !== undefined) return wrong;
  const untimed = (value['detections'] as readonly Fields[]).some(({ time }) => !isMoment(time));
  return untimed ? 'has a detection without a time in milliseconds' : undefined;
}

export const isSegmentSummary = (value: unknown): boolean =>
  isFields(value) && Object.hasOwn(value, 'segment') && !Object.hasOwn(value, 'detections');

export function wrongSegment(value: unknown, range: Range): string | undefined {
  if (!isFields(value) || !isFields(value['segment'])) return 'is not a summary';
  const { startFrame, stopFrame, startTime, stopTime, counts } = value['segment'];
  if (!isCount(startFrame) || !isCount(stopFrame) || stopFrame < startFrame)
    return 'has no startFrame and stopFrame';
  if (startFrame < range.start || stopFrame > range.stop)
    return `covers frames ${startFrame} to ${stopFrame}, outside of ${range.start} to ${range.stop}`;
  if (!isMoment(startTime) || !isMoment(stopTime)) return 'has no startTime and stopTime in milliseconds';
  const counted = isFields(counts) ? STREAM_COUNTS.every((name) => isCount(counts[name])) : false;
  return counted ? undefined : `has no counts of ${STREAM_COUNTS.join(', ')}`;
}

const MAX_LIVE_ID = 100;
const STREAM_COUNTS = ['read', 'processed', 'dropped', 'skipped', 'reconnects'] as const;

/** True if the value is a valid time of a Date. */
const isMoment = (value: unknown): boolean => isFiniteNumber(value) && Math.abs(value) <= 8.64e15;

const MAX_FRAMES = 2 ** 31 - 1;
const MAX_RANGES = 100_000;

/** True for the answer to fetching a remote medium, which is inspected next. */
export function isFetched(value: unknown): value is { readonly fetched: FetchedMedium } {
  return isFields(value) && isFields(value['fetched']) && isCount(value['fetched']['bytes']);
}

export function wrongPrepared(value: unknown): string | undefined {
  if (!isFields(value) || !isFields(value['facts'])) return 'has no facts of a medium';
  const { facts, inspected, path, bytes, modified, warnings, ranges, failure } = value;
  const { mediaType, mimeType, sha256, length, metadata } = facts;
  if (typeof mediaType !== 'string' || !MEDIA_TYPES.has(mediaType)) return 'has no known mediaType';
  if (typeof mimeType !== 'string' || typeof sha256 !== 'string') return 'has no mimeType and sha256';
  if (!isInteger(length) || length < -1 || length > MAX_FRAMES) return 'has no length';
  if (!isProperties(metadata)) return 'has metadata that are not an object of texts';
  if (typeof inspected !== 'boolean') return 'does not say whether it was inspected';
  if (typeof path !== 'string' || path === '') return 'has no path';
  if (![bytes, modified].every((one) => one === undefined || isFiniteNumber(one)))
    return 'has a size or a time that is not a number';
  if (!isArrayOf(warnings, isIssue)) return 'has warnings without code and message';
  if (failure !== undefined && !isIssue(failure)) return 'has a failure without code and message';
  if (!isArrayOf(ranges, isRange) || ranges.length > MAX_RANGES) return 'has ranges without start and stop';
  const outside = (ranges as readonly { start: number; stop: number }[]).some(
    ({ start, stop }) => start < 0 || stop < start || stop >= Math.max(1, length),
  );
  return outside ? 'has ranges outside of the medium' : undefined;
}

export function wrongSummary(value: unknown): string | undefined {
  if (!isFields(value) || !isFields(value['summary'])) return 'is not a summary';
  const { tracks, detections, types, warnings, ranges, errors, sections, derived, selectorsOutputUri } =
    value['summary'];
  if (!isCount(tracks) || !isCount(detections)) return 'has no counts of tracks and detections';
  if (!isCounts(types)) return 'has no counts by track type';
  if (!isArrayOf(warnings, isIssue)) return 'has warnings without code and message';
  if (errors !== undefined && !isArrayOf(errors, isIssue)) return 'has errors without code and message';
  if (sections !== undefined && !isArrayOf(sections, isSection)) return 'has sections without counts';
  if (derived !== undefined && !isArrayOf(derived, isDerived)) return 'has derivative media without a path';
  if (selectorsOutputUri !== undefined && typeof selectorsOutputUri !== 'string')
    return 'has a selectorsOutputUri that is not a text';
  return isArrayOf(ranges, isRange) ? undefined : 'has ranges without start and stop';
}

export function wrongFeedSummary(value: unknown): string | undefined {
  if (!isFields(value) || !isFields(value['summary'])) return 'is not a summary';
  const { tracks, pieces, indexAt } = value['summary'];
  return isCount(tracks) && isCount(pieces) && isCount(indexAt)
    ? undefined
    : 'has no counts of tracks and pieces';
}

/** Checks the answer of MARKUP and UPLOAD. */
export function wrongStored(value: unknown): string | undefined {
  if (!isFields(value)) return 'is not an object';
  const { path = '', uri, warnings } = value;
  if (typeof path !== 'string' || typeof uri !== 'string' || uri === '') return 'has no path and uri';
  return isArrayOf(warnings, isIssue) ? undefined : 'has warnings without code and message';
}

/** True if a track names a file that will become a derivative medium. */
export function bringsMedium({ properties }: { readonly properties?: unknown }): boolean {
  return isFields(properties) && Object.hasOwn(properties, DERIVED_PATH);
}

/** Property of a track: the path at which a component left the file of a derivative medium. */
export const DERIVED_PATH = 'DERIVATIVE_MEDIA_TEMP_PATH';

/** The PREPARE answer in the form that the server stores: without the frame times, which stay in the file. */
export function withoutFrameTimes(prepared: PreparedMedium): PreparedMedium {
  const { frameTimes, ...facts } = prepared.facts;
  if (frameTimes === undefined) return prepared;
  const { times: _, ...rule } = frameTimes;
  return { ...prepared, facts: { ...facts, frameTimes: rule } };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
function isInteger(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}
function isCount(value: unknown): value is number {
  return isInteger(value) && value >= 0;
}
function isProperties(value: unknown): boolean {
  if (!isFields(value)) return false;
  return Object.values(value).every((text) => typeof text === 'string');
}
function isRange(value: unknown): value is Range {
  return isFields(value) && isInteger(value['start']) && isInteger(value['stop']);
}
function isIssue(value: unknown): value is Issue {
  return isFields(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';
}
function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isFields(value) && Object.values(value).every(isCount);
}
function isSection(value: unknown): value is TrackSection {
  if (!isFields(value) || (value['untouched'] !== undefined && value['untouched'] !== true)) return false;
  return isCount(value['task']) && isCount(value['count']) && isCounts(value['types']);
}
function isDerived(value: unknown): value is DerivedMedium {
  if (!isFields(value) || !isCount(value['mediaId'])) return false;
  return typeof value['path'] === 'string' && typeof value['uri'] === 'string';
}
function isArrayOf<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}
