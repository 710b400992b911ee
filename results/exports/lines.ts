/** A line a detection: as JSON (NDJSON), or as comma-separated values (RFC 4180). */
import { isExemplar } from '../../domain/exemplar.ts';
import type { FoundDetection, FoundTrack, Writer } from './found.ts';

const isItsExemplar = (one: FoundDetection, { exemplar }: FoundTrack) =>
  exemplar !== undefined && isExemplar(one, exemplar);

export class NdjsonWriter implements Writer {
  /** What all lines of a track begin with. */
  #start = '';

  track(track: FoundTrack): string {
    const { jobId, medium, task, action, algorithm, id, index, type, confidence } = track;
    const head = {
      jobId,
      mediaId: medium.mediaId,
      parentMediaId: medium.parentMediaId,
      medium: medium.path,
      mediaType: medium.mediaType,
      task,
      action,
      algorithm,
      type,
      trackId: id,
      trackIndex: index,
      trackConfidence: confidence,
      trackStartMs: track.startOffsetTime,
      trackStopMs: track.stopOffsetTime,
      trackProperties: track.trackProperties,
    };
    this.#start = JSON.stringify(head).slice(0, -1);
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    const { offsetFrame, offsetTime, x, y, width, height, confidence, detectionProperties } = one;
    const properties = JSON.stringify(detectionProperties);
    const artifact = one.artifactPath === null ? 'null' : JSON.stringify(one.artifactPath);
    return `${this.#start},"frame":${offsetFrame},"offsetMs":${offsetTime},"x":${x},"y":${y},"width":${width},"height":${height},"confidence":${confidence},"isExemplar":${isItsExemplar(one, track)},"artifact":${artifact},"properties":${properties}}\n`;
  }
}

export const CSV_COLUMNS = [
  'job_id',
  'media_id',
  'parent_media_id',
  'medium',
  'media_type',
  'task',
  'action',
  'algorithm',
  'type',
  'track_id',
  'track_index',
  'track_confidence',
  'track_start_ms',
  'track_stop_ms',
  'frame',
  'offset_ms',
  'x',
  'y',
  'width',
  'height',
  'confidence',
  'is_exemplar',
  'artifact',
  'track_properties',
  'properties',
] as const;

/** With one of these in front spreadsheets compute what stands in a cell; the apostrophe is what keeps them from it. */
const COMPUTED = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A text as a cell that no spreadsheet takes for a formula: the reader takes one apostrophe away from the front. */
export function cell(text: string): string {
  const safe = COMPUTED.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Numbers stand as they are: a minus in front of digits is none of a formula. */
export class CsvWriter implements Writer {
  #start = '';
  #properties = '';

  begin(): string {
    return `${CSV_COLUMNS.join(',')}\r\n`;
  }

  track({ medium, ...track }: FoundTrack): string {
    const { jobId, task, action, algorithm, type, id } = track;
    this.#start = [
      cell(jobId),
      medium.mediaId,
      medium.parentMediaId,
      cell(medium.path),
      cell(medium.mediaType),
      ...[task ?? '', action, algorithm, type, id].map(cell),
      track.index,
      track.confidence,
      track.startOffsetTime,
      track.stopOffsetTime,
    ].join(',');
    this.#properties = cell(JSON.stringify(track.trackProperties));
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    const { offsetFrame, offsetTime, x, y, width, height, confidence } = one;
    const properties = cell(JSON.stringify(one.detectionProperties));
    return `${this.#start},${offsetFrame},${offsetTime},${x},${y},${width},${height},${confidence},${isItsExemplar(one, track)},${cell(one.artifactPath ?? '')},${this.#properties},${properties}\r\n`;
  }
}
