/** The content of a detection document, as writers of other formats receive it. */
import type { Properties } from '../../domain/types.ts';

export interface FoundMedium {
  readonly mediaId: number;
  readonly parentMediaId: number;
  readonly path: string;
  readonly mimeType: string;
  readonly mediaType: string;
  /** Frames of a video, 1 for an image, -1 for all else. */
  readonly length: number;
  readonly status: string;
  readonly mediaMetadata: Properties;
}

export interface FoundDetection {
  readonly offsetFrame: number;
  readonly offsetTime: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
  readonly detectionProperties: Properties;
  readonly artifactExtractionStatus: string;
  readonly artifactPath: string | null;
}

/** A track without its detections. */
export interface FoundTrack {
  readonly jobId: string;
  readonly medium: FoundMedium;
  /** Task and action that found it; the task is null when the document does not tell. */
  readonly task: string | null;
  readonly action: string;
  readonly algorithm: string;
  readonly id: string;
  readonly index: number;
  readonly type: string;
  readonly confidence: number;
  readonly startOffsetFrame: number;
  readonly stopOffsetFrame: number;
  readonly startOffsetTime: number;
  readonly stopOffsetTime: number;
  readonly trackProperties: Properties;
  readonly exemplar: FoundDetection | undefined;
}

/** A document on the disk. */
export interface DocumentSource {
  readonly file: string;
  /** The number of its job. */
  readonly job: number;
}

/**
 * Is told of what a document has, in its order, and gives the text of another format. What it gives at one time must be short:
 * where it is long it is given bit by bit.
 */
export interface Writer {
  begin?(): string;
  /** Which of several documents comes next. */
  document?(source: DocumentSource): void;
  /** What stands beside the media, as it stands there. */
  ofJob?(field: string, value: unknown): void;
  medium?(medium: FoundMedium): string;
  track?(track: FoundTrack): string;
  detection?(detection: FoundDetection, track: FoundTrack): string;
  trackEnd?(track: FoundTrack): string;
  mediumEnd?(medium: FoundMedium): Iterable<string>;
  end?(): Iterable<string>;
}

/** Has a writer make text of the document, once more each time it is called, or of one medium of it. */
export type Through = (writer: Writer, mediaId: number | undefined) => AsyncGenerator<string>;
