/** What is stored of people: rows of one actor, each with a key of its own. Keys end with a slash, so that none is the beginning of another. */
import type { Owner } from '../../domain/users/owner.ts';
import type { DocumentFace } from '../../store/search.ts';

/** A group of faces that look like one person. */
export interface Person {
  readonly id: string;
  /** null: nobody has named it. */
  readonly name: string | null;
  /** Name and version of the model of its vectors: vectors of different models are never compared. */
  readonly model: string;
  /** Whose faces may join it: see `circleOf`. */
  readonly circle: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** Keys of the members whose vectors stand for all, at most MOST_REPRESENTATIVES. */
  readonly representatives: readonly string[];
}

/** What is left of a person that was merged into another one. */
export interface Alias {
  readonly alias: string;
}

/** A face track of a job. */
export interface Member extends Omit<DocumentFace, 'model' | 'vector'> {
  readonly person: string;
  /** Number and run of its job. */
  readonly job: number;
  readonly run: number;
  /** As `packVector` makes it. */
  readonly vector: string;
}

/** A job whose faces are in groups. */
export interface JobOfFaces {
  readonly jobId: string;
  /** The newest run of which faces were taken. */
  readonly run: number;
  readonly owner?: Owner | undefined;
  /** All faces of the run are in groups. */
  readonly isWhole: boolean;
  /** It runs again, and its faces are not shown until then. */
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
