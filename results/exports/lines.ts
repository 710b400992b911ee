/** One line for each detection: as JSON (NDJSON), or as comma-separated values (RFC 4180). */
import { csvCell } from '../../domain/text/csv-cell.ts';
import { isExemplar } from '../../domain/tracks/exemplar.ts';
import type { FoundDetection, FoundMedium, FoundTrack, Writer } from '../document/findings.ts';
import { ShownPicture } from './pictures.ts';

export const isItsExemplar = (one: FoundDetection, { exemplar }: FoundTrack) =>
  exemplar !== undefined && isExemplar(one, exemplar);

/** The box in the picture as a viewer shows it. Zeros if the detection has no box. */
export class UprightBoxes {
  #picture: ShownPicture | undefined;

  enter(medium: FoundMedium): void {
    this.#picture = new ShownPicture(medium);
  }

  of(one: FoundDetection) {
    return this.#picture?.boxOf(one) ?? one;
  }
}

export class NdjsonWriter implements Writer {
  readonly #boxes = new UprightBoxes();
  /** Common prefix of all lines of a track. */
  #start = '';

  medium(medium: FoundMedium): string {
    this.#boxes.enter(medium);
    return '';
  }

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
    const upright = this.#boxes.of(one);
    return `${this.#start},"frame":${offsetFrame},"offsetMs":${offsetTime},"x":${x},"y":${y},"width":${width},"height":${height},"uprightX":${upright.x},"uprightY":${upright.y},"uprightWidth":${upright.width},"uprightHeight":${upright.height},"confidence":${confidence},"isExemplar":${isItsExemplar(one, track)},"artifact":${artifact},"properties":${properties}}\n`;
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
  'upright_x',
  'upright_y',
  'upright_width',
  'upright_height',
  'confidence',
  'is_exemplar',
  'artifact',
  'classification',
  'text',
  'transcript',
  'track_properties',
  'properties',
] as const;

/** Properties with their own column: the value of the detection, or else of its track. */
const WORDS = ['CLASSIFICATION', 'TEXT', 'TRANSCRIPT'] as const;
export const wordsOf = (one: FoundDetection, track: FoundTrack): readonly (string | undefined)[] =>
  WORDS.map((name) => one.detectionProperties[name] ?? track.trackProperties[name]);

/** Numbers are written unchanged, because a minus before digits is no formula. */
export class CsvWriter implements Writer {
  readonly #boxes = new UprightBoxes();
  #start = '';
  #properties = '';

  begin(): string {
    return `${CSV_COLUMNS.join(',')}\r\n`;
  }

  medium(medium: FoundMedium): string {
    this.#boxes.enter(medium);
    return '';
  }

  track({ medium, ...track }: FoundTrack): string {
    const { jobId, task, action, algorithm, type, id } = track;
    this.#start = [
      csvCell(jobId),
      medium.mediaId,
      medium.parentMediaId,
      csvCell(medium.path),
      csvCell(medium.mediaType),
      ...[task ?? '', action, algorithm, type, id].map(csvCell),
      track.index,
      track.confidence,
      track.startOffsetTime,
      track.stopOffsetTime,
    ].join(',');
    this.#properties = csvCell(JSON.stringify(track.trackProperties));
    return '';
  }

  detection(one: FoundDetection, track: FoundTrack): string {
    const { offsetFrame, offsetTime, x, y, width, height, confidence } = one;
    const upright = this.#boxes.of(one);
    const words = wordsOf(one, track).map((word) => word ?? '');
    const cells = [
      ...[this.#start, offsetFrame, offsetTime, x, y, width, height],
      ...[upright.x, upright.y, upright.width, upright.height, confidence, isItsExemplar(one, track)],
      ...[one.artifactPath ?? '', ...words].map(csvCell),
      ...[this.#properties, csvCell(JSON.stringify(one.detectionProperties))],
    ];
    return `${cells.join(',')}\r\n`;
  }
}
