/** The content of a detection document, for writers of other formats. */
import type { Properties } from '../../domain/types.ts';

export interface FoundMedium {
  readonly mediaId: number;
  readonly parentMediaId: number;
  readonly path: string;
  readonly mimeType: string;
  readonly mediaType: string;
  /** Frames of a video, 1 for an image, -1 otherwise. */
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
  /** Task and action that found it. The task is null if the document does not name it. */
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
 * Gets the content of a document in order, and returns text of another format. Each returned text must be short; long content is returned
 * as several parts.
 */
export interface Writer {
  begin?(): string;
  /** Called with the next of several documents. */
  document?(source: DocumentSource): void;
  /** Called with each member of the document beside the media, unchanged. */
  ofJob?(field: string, value: unknown): void;
  medium?(medium: FoundMedium): string;
  track?(track: FoundTrack): string;
  detection?(detection: FoundDetection, track: FoundTrack): string;
  trackEnd?(track: FoundTrack): string;
  /** Called with the zone events of the medium, unchanged. */
  zoneRun?(run: unknown): void;
  mediumEnd?(medium: FoundMedium): Iterable<string>;
  end?(): Iterable<string>;
}

/** Runs a writer over the document, or over one medium of it. Each call reads the document again. */
export type Through = (writer: Writer, mediaId: number | undefined) => AsyncGenerator<string>;
