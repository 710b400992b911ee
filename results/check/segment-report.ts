/**
 * Makes the summary report of a segment of live video (specification 2.3, 6.3) from the lines of a component. Runs in the thread of
 * `check-worker.ts`. Lines are checked one by one and never kept in memory together.
 */
import type { FileHandle } from 'node:fs/promises';
import { PART, writeWhole } from '../../files/part-file.ts';
import type { SegmentSummary, StreamDetection, StreamTrack } from '../../protocol/streams.ts';
import { isSegmentSummary, wrongSegment, wrongStreamTrack } from './check-rules.ts';
import { writeSegmentTracks, type SegmentTracks } from './segment-tracks.ts';
import { unparsable } from './json-shape.ts';
import { inChunks, LineError, readLines } from '../lines.ts';
import { localIso } from '../local-iso.ts';

/** Data of a report without its tracks. */
export interface ReportHead {
  readonly jobId: number;
  readonly externalId: string | null;
  readonly segmentId: number;
  readonly segmentSize: number;
  readonly trackType: string;
  /** Empty if there is no error. */
  readonly errorMessage: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Data of a report with tracks, without these tracks. */
export interface SegmentHead extends ReportHead {
  /** True if tracks have `liveId`, too, which the specification does not list (OUTPUT_DETAILS). */
  readonly details: boolean;
  /** For a stream with several actions: tracks name the action that found them. Absent: there is one. */
  readonly actions?: readonly ActionNames[];
}

export interface ActionNames {
  readonly task: string;
  readonly action: string;
}

/** The file that a component sent, and the target of the report. */
export interface SegmentRequest {
  readonly path: string;
  readonly report: string;
  readonly head: SegmentHead;
  /** Output for the search. Absent if there is no search. */
  readonly tracks?: SegmentTracks | undefined;
}

export type SegmentVerdict =
  | {
      readonly ok: true;
      readonly tracks: number;
      readonly detections: number;
      /** Start of the first track: its frame, and the arrival of that frame (milliseconds since the epoch). */
      readonly firstTrack: { readonly frame: number; readonly at: number } | null;
      readonly summary: SegmentSummary;
    }
  | { readonly ok: false; readonly reason: string };

const NO_TRACKS = 'NO TRACKS';
const EXCERPT = 80;

/** Checks the lines and writes the report. `ok: false` has the first error of the lines. Rejects if a file cannot be read or written. */
export async function segmentReport({ path, report, head, tracks }: SegmentRequest): Promise<SegmentVerdict> {
  try {
    const checked = await check(path, head);
    if (!checked.ok) return checked;
    const write = async (file: FileHandle) => {
      for await (const chunk of inChunks(reportOf(path, head, checked))) await file.appendFile(chunk);
    };
    await writeWhole(report, write, { part: `${report}${PART}`, durable: 'bytes' });
    if (tracks !== undefined) await writeSegmentTracks(path, tracks, checked);
    const { types: _, ...verdict } = checked;
    return verdict;
  } catch (error) {
    if (error instanceof LineError) return { ok: false, reason: error.message };
    throw error;
  }
}

/** A report without tracks, for a segment that no component could finish. */
export function emptyReport(head: ReportHead): object {
  const { segmentId, segmentSize } = head;
  const startFrame = segmentId * segmentSize;
  return { ...fieldsOf(head, { startFrame, stopFrame: startFrame }), output: { [NO_TRACKS]: [] } };
}

type Checked = Extract<SegmentVerdict, { ok: true }> & { readonly types: ReadonlySet<string> };
type Refused = Extract<SegmentVerdict, { ok: false }>;

async function check(path: string, head: SegmentHead): Promise<Checked | Refused> {
  const start = head.segmentId * head.segmentSize;
  const range = { start, stop: start + head.segmentSize - 1, actions: head.actions?.length ?? 1 };
  const types = new Set<string>();
  let [tracks, detections] = [0, 0];
  let firstTrack: Checked['firstTrack'] = null;
  let summary: SegmentSummary | undefined;
  for await (const { text } of readLines(path)) {
    if (summary !== undefined) return refuseReport('Lines come after the summary of the segment', text);
    const value = parseJson(text);
    if (value === undefined) return refuseReport(`Line ${tracks + 1} is not JSON`, text);
    if (isSegmentSummary(value)) {
      const wrong = wrongSegment(value, range);
      if (wrong !== undefined) return refuseReport(`The summary of the segment ${wrong}`, text);
      summary = (value as { segment: SegmentSummary }).segment;
      continue;
    }
    tracks += 1;
    const wrong = wrongStreamTrack(value, range);
    if (wrong !== undefined) return refuseReport(`Track ${tracks} ${wrong}`, text);
    const { type = head.trackType, detections: found, startFrame, startTime } = value as StreamTrack;
    if (firstTrack === null || startFrame < firstTrack.frame)
      firstTrack = { frame: startFrame, at: startTime };
    types.add(type);
    detections += found.length;
  }
  if (summary === undefined) return { ok: false, reason: 'The segment has no summary as its last line.' };
  return { ok: true, tracks, detections, firstTrack, summary, types };
}

function parseJson(text: string): unknown {
  if (unparsable(text) !== undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const refuseReport = (what: string, text: string): Refused => ({
  ok: false,
  reason: `${what}: ${JSON.stringify(text.slice(0, EXCERPT))}`,
});

/** The report in pieces: the tracks grouped by type. */
async function* reportOf(
  path: string,
  head: SegmentHead,
  { types, summary }: Checked,
): AsyncGenerator<string> {
  yield `${JSON.stringify(fieldsOf(head, summary)).slice(0, -1)},"output":{`;
  if (types.size === 0) yield `${JSON.stringify(NO_TRACKS)}:[]`;
  let first = true;
  for (const type of types) {
    yield `${first ? '' : ','}\n${JSON.stringify(type)}:[`;
    first = false;
    yield* tracksOf(path, head, type);
    yield ']';
  }
  yield '}}\n';
}

async function* tracksOf(
  path: string,
  { trackType: usual, details, actions }: SegmentHead,
  wanted: string,
): AsyncGenerator<string> {
  let written = 0;
  let number = 0;
  for await (const { text } of readLines(path)) {
    const track = JSON.parse(text) as StreamTrack;
    if (isSegmentSummary(track)) return;
    const { type = usual } = track;
    const id = number++;
    if (type !== wanted) continue;
    yield `${written++ === 0 ? '\n' : ',\n'}${JSON.stringify(reportTrack(track, { type, id, details, by: actions?.[track.action ?? 0] }))}`;
  }
}

function fieldsOf(
  head: ReportHead,
  { startFrame, stopFrame }: Pick<SegmentSummary, 'startFrame' | 'stopFrame'>,
) {
  const { jobId, externalId, segmentId, errorMessage, at } = head;
  return {
    reportDate: localIso(at),
    jobId,
    externalId,
    segmentId,
    segmentStartFrame: startFrame,
    segmentStopFrame: stopFrame,
    errorMessage,
  };
}

interface TrackFacts {
  readonly type: string;
  readonly id: number;
  readonly details: boolean;
  readonly by: ActionNames | undefined;
}

/** Ids are those of the segment. `liveId` is the same in all segments of a track. */
function reportTrack(track: StreamTrack, { type, id, details, by }: TrackFacts) {
  const detections = track.detections.map(reportedDetection);
  return {
    id: String(id),
    ...(details ? { liveId: track.liveId } : {}),
    ...by,
    startOffsetFrame: track.startFrame,
    stopOffsetFrame: track.stopFrame,
    startTimestamp: localIso(track.startTime),
    stopTimestamp: localIso(track.stopTime),
    type,
    confidence: track.confidence,
    trackProperties: track.properties,
    exemplar: detections.reduce((best, one) => (one.confidence > best.confidence ? one : best)),
    detections,
  };
}

function reportedDetection({ frame, time, x, y, width, height, confidence, properties }: StreamDetection) {
  return {
    offsetFrame: frame,
    timestamp: localIso(time),
    x,
    y,
    width,
    height,
    confidence,
    detectionProperties: properties,
  };
}
