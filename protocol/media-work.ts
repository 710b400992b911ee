/** Work on a medium itself: retrieving and inspecting it, or showing a frame of it. */
import type { Issue, MediaType, MediumFacts, Properties, Range } from '../domain/types.ts';
import type { FailureRequest } from './coded-error.ts';

/** The partial file of a medium that is being fetched; `path` is its final path. */
export const partOf = (path: string): string => `${path}.part`;

/**
 * Retrieve, hash and inspect one medium. Answer: one line, a PreparedMedium. A remote medium is fetched before in a separate step, whose
 * answer is a FetchedMedium.
 */
export interface PrepareWork {
  readonly uri: string;
  /** Place of the whole URI. In that case `uri` has only its beginning. */
  readonly uriAt?: TextPlace;
  /** Target path of a medium that is not already a local file. */
  readonly fetchTo: string;
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  /** True if media selectors select parts of the medium. */
  readonly hasSelectors?: boolean;
  readonly limits: FetchLimits;
  /** True for a derivative medium, whose file is already at `fetchTo`. */
  readonly stored?: boolean;
  /** In hex, for a medium with earlier results. Other content is an error. */
  readonly sha256?: string;
  /** Step for a remote medium. FETCH: only fetch it to `fetchTo`. INSPECT: inspect the fetched file. Absent: both. */
  readonly step?: 'FETCH' | 'INSPECT';
  /** Bearer token for the request for a remote medium. */
  readonly bearer?: string;
}

/** Place of a text in a file. */
export interface TextPlace {
  readonly path: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Maximum size of a detection document of another service that the server passes on or copies for a job. */
export const MAX_ARCHIVED_DOCUMENT_BYTES = 2 * 1024 ** 3;

export interface FetchLimits {
  /** Folders, already resolved, below which `file:` media must be after symlink resolution. */
  readonly mediaRoots: readonly string[];
  /** Folders that are never served even if they are below a root (the service's own data). */
  readonly excluded: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** True if media may be fetched from loopback and private addresses. Link-local and metadata addresses are never allowed. */
  readonly allowPrivate: boolean;
}

/** The medium is at its target path. */
export interface FetchedMedium {
  readonly bytes: number;
}

export interface PreparedMedium {
  readonly facts: MediumFacts;
  /** True if the medium itself was inspected. False: the facts are those of the client. */
  readonly inspected: boolean;
  /** Absolute path of the local file that components read. */
  readonly path: string;
  /** Its size and modification time (whole milliseconds since the epoch). They show later whether the file has changed. */
  readonly bytes?: number;
  readonly modified?: number;
  readonly warnings: readonly Issue[];
  /**
   * Requested frames (the union of frame and time ranges, clipped and joined). The whole video if there are none; [] for other media types.
   */
  readonly ranges: readonly Range[];
  /** Why the inspection failed. In that case `facts` are those known from its bytes. */
  readonly failure?: FailureRequest | undefined;
}

export interface WorkMedium {
  readonly mediaId: number;
  readonly mediaType: MediaType;
  readonly mimeType: string;
  readonly path: string;
  /** For DETECT: URL to GET while the lease is held, if `path` cannot be read. */
  readonly url?: string;
  /** Size of the file, and the SHA-256 of its content in hex, if known. */
  readonly bytes?: number;
  readonly sha256?: string;
  readonly length: number;
  readonly metadata: Properties;
  /** 0 if unknown or not applicable. */
  readonly fps: number;
  /** True if length, rate and metadata come from an inspection. False if they are only stated by the client. */
  readonly inspected: boolean;
}

/**
 * Make a picture of a frame, as a viewer shows it, or the table of the times of all frames. It belongs to no job: a client waits for it.
 * Answer: one line without content. The file is at `to`.
 */
export interface FrameWork {
  readonly medium: WorkMedium;
  /** Null: the table of times is requested (FrameTable, JSON). */
  readonly frame: number | null;
  readonly to: string;
  /** Draw the findings of this document at the frame. `place`: position of the medium in the document. */
  readonly boxes?: { readonly document: string; readonly place: number };
  /** The picture stays as stored in the medium, without rotation. */
  readonly stored?: true;
  /** Absent: a JPEG. */
  readonly format?: 'png';
  /** Maximum length of the longer side in pixels. Absent: the original size. */
  readonly longestSide?: number;
}
