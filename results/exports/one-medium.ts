import type {
  DocumentSource,
  FoundDetection,
  FoundMedium,
  FoundTrack,
  Writer,
} from '../document/findings.ts';

/** The document cannot be exported in this format. The message is for the user. */
export class ExportRefusal extends Error {}

/** Passes only one medium of the document to another writer. */
export class OneMedium implements Writer {
  readonly #mediaId: number;
  readonly #writer: Writer;
  #isThere = false;

  constructor(mediaId: number, writer: Writer) {
    this.#mediaId = mediaId;
    this.#writer = writer;
  }

  document(source: DocumentSource): void {
    this.#writer.document?.(source);
  }

  ofJob(field: string, value: unknown): void {
    this.#writer.ofJob?.(field, value);
  }

  /** Nothing is written before the medium is found. If there is no such medium, the export is refused. */
  medium(medium: FoundMedium): string {
    if (!this.#is(medium)) return '';
    const begin = this.#isThere ? '' : (this.#writer.begin?.() ?? '');
    this.#isThere = true;
    return begin + (this.#writer.medium?.(medium) ?? '');
  }

  track(track: FoundTrack): string {
    return this.#is(track.medium) ? (this.#writer.track?.(track) ?? '') : '';
  }

  detection(detection: FoundDetection, track: FoundTrack): string {
    return this.#is(track.medium) ? (this.#writer.detection?.(detection, track) ?? '') : '';
  }

  trackEnd(track: FoundTrack): string {
    return this.#is(track.medium) ? (this.#writer.trackEnd?.(track) ?? '') : '';
  }

  mediumEnd(medium: FoundMedium): Iterable<string> {
    return this.#is(medium) ? (this.#writer.mediumEnd?.(medium) ?? []) : [];
  }

  end(): Iterable<string> {
    if (!this.#isThere) throw new ExportRefusal(`The document of this job has no medium ${this.#mediaId}.`);
    return this.#writer.end?.() ?? [];
  }

  #is({ mediaId }: FoundMedium): boolean {
    return mediaId === this.#mediaId;
  }
}
