/**
 * Writes the tracks of a segment of live video for the search, as a small detection document. Its first line has the end of the segment,
 * and its medium is the stream.
 */
import { mkdir, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PART, writeWhole } from '../../files/part-file.ts';
import type { SegmentSummary, StreamTrack } from '../../protocol/streams.ts';
import { inChunks, readLines } from '../lines.ts';
import { isSegmentSummary } from './check-rules.ts';

/** Target of the tracks, and facts about their stream. */
export interface SegmentTracks {
  readonly file: string;
  /** Without credentials. */
  readonly streamUri: string;
  /** Creation of the job (milliseconds since the epoch). Times of tracks count from there. */
  readonly createdAt: number;
  readonly trackType: string;
  /** Actions of the stream. */
  readonly actions: readonly { readonly name: string; readonly algorithm: string }[];
  /** Size in pixels. Null if unknown. */
  readonly picture: { readonly width: number; readonly height: number } | null;
}

/** Writes the file. `lines` is the checked file of the component, and `types` are the types of its tracks. */
export async function writeSegmentTracks(
  lines: string,
  tracks: SegmentTracks,
  { types, summary }: { readonly types: ReadonlySet<string>; readonly summary: SegmentSummary },
): Promise<void> {
  if (types.size === 0) return;
  await mkdir(dirname(tracks.file), { recursive: true, mode: 0o700 });
  const write = async (file: FileHandle) => {
    for await (const chunk of inChunks(documentOf(lines, tracks, types, summary)))
      await file.appendFile(chunk);
  };
  await writeWhole(tracks.file, write, { part: `${tracks.file}${PART}`, durable: 'bytes' });
}

/** End of a segment, from the first bytes of its file. Returns undefined for other content. */
export function endOfSegment(beginning: string): number | undefined {
  const [, time] = /^\{"stopTime":(\d{1,16}),/.exec(beginning) ?? [];
  return time === undefined ? undefined : Number(time);
}

async function* documentOf(
  lines: string,
  tracks: SegmentTracks,
  types: ReadonlySet<string>,
  { stopTime, stopFrame }: SegmentSummary,
): AsyncGenerator<string> {
  const { streamUri, picture } = tracks;
  const size =
    picture === null ? {} : { FRAME_WIDTH: String(picture.width), FRAME_HEIGHT: String(picture.height) };
  const medium = {
    ...{ mediaId: 0, parentMediaId: 0, path: streamUri, mediaType: 'VIDEO', mimeType: '' },
    ...{ length: stopFrame + 1, mediaMetadata: size },
  };
  yield `{"stopTime":${Math.round(stopTime)},\n"media":[${JSON.stringify(medium).slice(0, -1)},"output":{`;
  let isFirst = true;
  for (const type of types) {
    yield `${isFirst ? '' : ','}\n${JSON.stringify(type)}:[`;
    isFirst = false;
    for (const [action, { name: source, algorithm }] of tracks.actions.entries()) {
      yield `${action === 0 ? '' : ','}${JSON.stringify({ source, algorithm }).slice(0, -1)},"tracks":[`;
      yield* tracksOf(lines, tracks, { type, action });
      yield ']}';
    }
    yield ']';
  }
  yield '}}]}\n';
}

async function* tracksOf(
  lines: string,
  { trackType: usual, createdAt }: SegmentTracks,
  wanted: { readonly type: string; readonly action: number },
): AsyncGenerator<string> {
  let written = 0;
  for await (const { text } of readLines(lines)) {
    const track = JSON.parse(text) as StreamTrack;
    if (isSegmentSummary(track)) return;
    const { type = usual, action = 0 } = track;
    if (type !== wanted.type || action !== wanted.action) continue;
    yield `${written++ === 0 ? '' : ','}\n${JSON.stringify(trackOf(track, type, createdAt))}`;
  }
}

function trackOf(track: StreamTrack, type: string, createdAt: number) {
  const { frame, x, y, width, height, properties } = track.detections.reduce((best, one) =>
    one.confidence > best.confidence ? one : best,
  );
  return {
    ...{ id: track.liveId, type, confidence: track.confidence },
    ...{ startOffsetFrame: track.startFrame, stopOffsetFrame: track.stopFrame },
    startOffsetTime: track.startTime - createdAt,
    stopOffsetTime: track.stopTime - createdAt,
    trackProperties: track.properties,
    exemplar: { offsetFrame: frame, x, y, width, height, detectionProperties: properties },
  };
}
