/** Short definitions of detection documents for the search. */
import type { Owner, Sight } from '../../domain/users/owner.ts';
import { writeFileSync } from 'node:fs';
import type { SearchedJob, SearchQuery } from '../../store/search.ts';
import { foldedName, searchTerms } from '../../domain/text/words.ts';

export interface GivenTrack {
  readonly text?: string;
  readonly class?: string;
  readonly type?: string;
  readonly id?: string;
  readonly at?: number;
  readonly properties?: Readonly<Record<string, string>>;
}

export interface GivenDocument {
  readonly number: number;
  readonly run?: number;
  readonly endedAt?: number;
  readonly externalId?: string;
  readonly labels?: readonly string[];
  readonly owner?: Owner;
  /** File names of the media in order; absent: derived from the job number. */
  readonly names?: readonly string[];
  /** Durations of the media in milliseconds, in order. */
  readonly durations?: readonly number[];
  /** MIME type of all media; absent: video. */
  readonly mimeType?: string;
  /** Tracks of each medium, in order. */
  readonly media?: readonly (readonly GivenTrack[])[];
  readonly tracks?: readonly GivenTrack[];
  /** Parents of derived media; absent: no medium is derived. */
  readonly parents?: readonly number[];
}

/** Writes the document like the service: one track per line. */
export function givenDocument(path: string, given: GivenDocument): SearchedJob {
  const {
    number,
    run = 1,
    endedAt = 1_000 * number,
    externalId = null,
    owner,
    labels = [],
    names = [],
    durations = [],
    tracks = [],
    media = [tracks],
    mimeType = 'video/mp4',
    parents = [],
  } = given;
  const lines = media.map((of, n) => {
    const typeOf = ({ type = 'TEXT' }: GivenTrack) => type;
    const output = [...new Set(of.map(typeOf))].map(
      (type) =>
        `${JSON.stringify(type)}:[{"source":"${type} ACTION","algorithm":"${type} ALGORITHM","tracks":[\n` +
        `${of
          .filter((track) => typeOf(track) === type)
          .map((track) => JSON.stringify(trackOf(track, type)))
          .join(',\n')}]}]`,
    );
    return `{"mediaId":${100 * number + n},"parentMediaId":${parents[n] ?? -1},"path":"file:///media/${names[n] ?? `${number}-${n}.mp4`}",${metadataOf(durations[n])}"mimeType":"${mimeType}","mediaType":"${mediaTypeOf(mimeType)}","output":{${output.join(',\n')}}}`;
  });
  writeFileSync(
    path,
    `{"jobId":"host-${number}","media":[\n${lines.join(',\n')}],\n"errors":[],"warnings":[]}\n`,
  );
  return {
    ...{ number, run, endedAt, externalId, labels, owner, document: path },
    jobId: `host-${number}`,
    tasks: { 'TEXT ACTION': 'TEXT TASK', 'OBJECT ACTION': 'OBJECT TASK' },
  };
}

const metadataOf = (duration: number | undefined) =>
  duration === undefined ? '' : `"mediaMetadata":{"DURATION":"${duration}"},`;

const mediaTypeOf = (mimeType: string) =>
  mimeType.startsWith('video/') ? 'VIDEO' : mimeType.startsWith('image/') ? 'IMAGE' : 'UNKNOWN';

function trackOf(
  { text, class: name, id = 'id', at = 0, properties = {} }: GivenTrack,
  type: string,
): object {
  const detection = {
    ...{ offsetFrame: at, offsetTime: at * 40, x: 1, y: 2, width: 3, height: 4, confidence: 0.5 },
    detectionProperties: { ROTATION: '90' },
  };
  return {
    ...{ id, index: 0, startOffsetFrame: at, stopOffsetFrame: at + 2, startOffsetTime: at * 40 },
    ...{ stopOffsetTime: (at + 2) * 40, type, source: `${type} ACTION`, confidence: 0.75 },
    trackProperties: {
      ...(text === undefined ? {} : { TEXT: text }),
      ...(name === undefined ? {} : { CLASSIFICATION: name }),
      ...properties,
    },
    exemplar: detection,
    detections: [detection],
  };
}

export interface Asked {
  readonly text?: string;
  readonly class?: string;
  readonly type?: string;
  readonly from?: number;
  readonly to?: number;
  readonly job?: number;
  readonly camera?: string;
  readonly sight?: Sight;
  readonly limit?: number;
  readonly cursor?: SearchQuery['cursor'];
}

export const askedOf = ({
  text = '',
  class: name,
  type,
  from,
  to,
  job,
  camera,
  sight = 'ALL',
  limit = 50,
  cursor,
}: Asked): SearchQuery => ({
  terms: searchTerms(text),
  class: name === undefined ? undefined : foldedName(name),
  type: type === undefined ? undefined : foldedName(type),
  ...{ from, to, job, camera, sight, limit, cursor },
});
