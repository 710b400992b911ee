/** Work on a medium itself: it is retrieved and inspected, or a frame of it is shown. */
import type { Issue, MediaType, MediumFacts, Properties, Range } from '../domain/types.ts';
import type { FailureRequest } from './coded-error.ts';

/** The partial file of a medium that is being fetched; `path` is its final path. */
export const partOf = (path: string): string => `${path}.part`;

/**
 * Retrieve, hash and inspect one medium. Answer: one line, a PreparedMedium; a remote medium is fetched before in a step of its own, which
 * is answered with a FetchedMedium.
 */
export interface PrepareWork {
  readonly uri: string;
  /** Where the whole URI lies; `uri` has only its beginning then. */
  readonly uriAt?: TextPlace;
  /** Where a medium that is not already a local file is to be written. */
  readonly fetchTo: string;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  /** Media selectors say which parts of the medium are looked at. */
  readonly hasSelectors?: boolean;
  readonly limits: FetchLimits;
  /** The medium was derived from another one: its file lies at `fetchTo` already. */
  readonly stored?: boolean;
  /** In hex, of a medium of which earlier results are kept: another content is an error. */
  readonly sha256?: string;
  /** Of a remote medium: FETCH it to `fetchTo`, no more; INSPECT what was fetched. Absent: both at once. */
  readonly step?: 'FETCH' | 'INSPECT';
  /** Goes as a bearer token with the request for a remote medium. */
  readonly bearer?: string;
}

/** Where a text lies in a file. */
export interface TextPlace {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Of the detection document of another service, which is passed on or copied for a job that an archive knew. */
export const MAX_ARCHIVED_DOCUMENT_BYTES = 2 * 1024 ** 3;

export interface FetchLimits {
  /** Folders, already resolved, below which `file:` media must lie after symlink resolution. */
  readonly mediaRoots: readonly string[];
  /** A folder that is never served though it may lie below a root (the service's own data). */
  readonly excluded: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Whether loopback and private addresses may be fetched from; link-local and metadata addresses never. */
  readonly allowPrivate: boolean;
}

/** The medium lies where it was to be fetched to. */
export interface FetchedMedium {
  readonly bytes: number;
}

export interface PreparedMedium {
  readonly facts: MediumFacts;
  /** Whether the medium itself was looked at; false: the facts are what the client says. */
  readonly inspected: boolean;
  /** Absolute path of the local file that components read. */
  readonly path: string;
  /** Its size, and when it was written last (whole milliseconds since the epoch): by these is known later whether it is still the same. */
  readonly bytes?: number;
  readonly modified?: number;
  readonly warnings: readonly Issue[];
  /** Frames asked for (the union of frame and time ranges, clipped, joined); the whole video when none were given; [] unless VIDEO. */
  readonly ranges: readonly Range[];
  /** Why it could not be inspected; `facts` are then what its bytes tell all the same. */
  readonly failure?: FailureRequest | undefined;
}

export interface WorkMedium {
  readonly mediaId: number;
  readonly mediaType: MediaType;
  readonly mimeType: string;
  readonly path: string;
  /** Of DETECT: GET it while the lease is held, where `path` cannot be read. */
  readonly url?: string;
  /** Size of the file, and the SHA-256 of its content in hex, where somebody has looked. */
  readonly bytes?: number;
  readonly sha256?: string;
  readonly length: number;
  readonly metadata: Properties;
  /** 0 when unknown or without meaning. */
  readonly fps: number;
  /** Whether length, rate and metadata were found by inspection, or are only what the client says. */
  readonly inspected: boolean;
}

/**
 * Make a picture of a frame, as a viewer shows it, or the table of the times of all frames. It belongs to no job: a client waits for it.
 * Answer: one line, which says nothing; what was made lies at `to`.
 */
export interface FrameWork {
  readonly medium: WorkMedium;
  /** null: the table of times (FrameTable, JSON) is wanted. */
  readonly frame: number | null;
  readonly to: string;
  /** Draw what this document has found at the frame. `place`: of the medium in the document. */
  readonly boxes?: { readonly document: string; readonly place: number };
  /** The picture is left as it lies in the medium, and not turned upright. */
  readonly stored?: true;
  /** Absent: a JPEG. */
  readonly format?: 'png';
  /** The longer side of the picture in pixels at most; absent: as it is. */
  readonly longestSide?: number;
}
