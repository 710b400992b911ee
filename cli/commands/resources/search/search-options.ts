/** Common options of the search commands. */
import { InvalidArgumentError } from 'commander';
import { existsSync } from 'node:fs';
import type { SearchHit } from '../../../../client/answers.ts';
import { isTimed, timeText } from '../../../render/tables.ts';
import type { RestOptions } from '../command.ts';

/** A track of a job. */
export interface TrackName {
  readonly jobId: string;
  readonly mediaId: number;
  readonly trackId: string;
}

/** A track or a picture. A picture is a local file or a URI. */
export type Like = TrackName | { readonly picture: string };

export interface SearchOptions extends RestOptions {
  readonly class?: string;
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
  readonly job?: string;
  readonly colour?: string;
  readonly minConfidence?: string;
  readonly medium?: string;
  readonly camera?: string;
  readonly person?: string;
  readonly anything?: string;
  readonly distinct?: true;
  readonly sort?: string;
  readonly like?: Like;
  readonly likeText?: string;
  readonly duplicates?: true;
  readonly limit: number;
}

/** Converts the options to parameters of the REST query. */
export const conditionsOf = (
  text: string | undefined,
  {
    class: name,
    type,
    from,
    to,
    job,
    colour,
    minConfidence,
    medium,
    camera,
    person,
    anything,
  }: SearchOptions,
) => ({ text, class: name, type, from, to, job, colour, minConfidence, medium, camera, person, anything });

/** Parses a track or a picture. An existing file is a picture, whatever its path looks like. @throws InvalidArgumentError */
export function likeOf(text: string): Like {
  if (/^(?:https?|data|file|s3):/i.test(text) || existsSync(text)) return { picture: text };
  const [, jobId, mediaId, trackId] = /^([^/]+)\/(-?\d{1,15})\/(.+)$/.exec(text) ?? [];
  if (jobId === undefined || mediaId === undefined || trackId === undefined)
    throw new InvalidArgumentError(
      'It must be a file, a URI or JOB/MEDIA/TRACK: jobId, mediaId and trackId of a hit of troupe search --json.',
    );
  return { jobId, mediaId: Number(mediaId), trackId };
}

/** Returns the class, or the name of a person. */
export const classOf = ({ class: name, person }: Pick<SearchHit, 'class' | 'person'>): string =>
  // An older service does not report people.
  name ?? (person as SearchHit['person'] | undefined)?.name ?? '';

/** Number of characters of a date with its time in seconds. */
const SECONDS = '2026-01-01T00:00:00'.length;

/** Returns the time on a live stream, the time in a video or a sound, or the page of a document. Pictures have none. */
export function whereOf({ mediaType, page, stream, startOffsetTime }: SearchHit): string {
  // An older service does not report streams.
  const seen = stream?.startDate;
  if (seen !== undefined) return `${seen.slice(0, SECONDS)}Z`;
  if (isTimed(mediaType)) return timeText(startOffsetTime);
  return page === null ? '' : `${page.kind.toLowerCase()} ${page.number}`;
}
