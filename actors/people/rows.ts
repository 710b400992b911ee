/** Stored rows of people. One actor has all rows, each with its own key. Keys end with a slash, so that no key is a prefix of another. */
import type { Owner } from '../../domain/users/owner.ts';
import type { DocumentFace } from '../../store/search.ts';

/** A group of faces that look like one person. */
export interface Person {
  readonly id: string;
  /** Null if the person has no name. */
  readonly name: string | null;
  /** Name and version of the model of its vectors. Vectors of different models are never compared. */
  readonly model: string;
  /** Circle of users whose faces may join the person; see `circleOf`. */
  readonly circle: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** Keys of the members whose vectors represent the person, at most MOST_REPRESENTATIVES. */
  readonly representatives: readonly string[];
}

/** Row of a person that was merged into another one. */
export interface Alias {
  readonly alias: string;
}

/** A face track of a job. */
export interface Member extends Omit<DocumentFace, 'model' | 'vector'> {
  readonly person: string;
  /** Number and run of its job. */
  readonly job: number;
  readonly run: number;
  /** Creation of the live stream of the track: milliseconds since the epoch. Undefined for a batch job. */
  readonly createdAt?: number | undefined;
  /** Vector in the form of `packVector`. */
  readonly vector: string;
}

/** The run of all faces of a live stream. */
export const STREAM_RUN = 1;

/** A job whose faces are grouped. */
export interface JobOfFaces {
  readonly jobId: string;
  /** The newest run whose faces were grouped. */
  readonly run: number;
  readonly owner?: Owner | undefined;
  /** True if all faces of the run are grouped. */
  readonly isWhole: boolean;
  /** True if the job runs again. Its faces are hidden until it has ended. */
  readonly isStale: boolean;
}

/** A decision of a user about a track: it belongs to no person, or not to these persons. */
export interface Apart {
  readonly forgotten: boolean;
  readonly not: readonly string[];
}

export interface RowBodies {
  readonly person: Person | Alias;
  readonly member: Member;
  readonly job: JobOfFaces;
  readonly apart: Apart;
}
export type RowKind = keyof RowBodies;

export const personKey = (id: string): string => `person/${id}/`;
export const jobKey = (job: number): string => `job/${job}/`;
export const memberKey = ({ job, mediaId, trackId }: Pick<Member, 'job' | 'mediaId' | 'trackId'>): string =>
  `member/${job}/${mediaId}/${encodeURIComponent(trackId)}/`;
export const apartKey = (trackId: string): string => `apart/${encodeURIComponent(trackId)}/`;

export const kindOf = (key: string): RowKind => key.slice(0, key.indexOf('/')) as RowKind;
/** The part of a key between its kind and the last slash. */
export const nameOf = (key: string): string => key.slice(key.indexOf('/') + 1, -1);
