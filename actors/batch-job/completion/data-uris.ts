/**
 * Long `data:` URIs of a request. The server keeps them out of the store, which may be in memory. Each request has one file, which is
 * written before the job is stored, and deleted with the job. The store contains the positions of the URIs in the file.
 */
import { randomBytes } from 'node:crypto';
import { withoutData } from '../../../domain/job/censor.ts';
import { pathOf, type FileKey } from '../../../results/file-keys.ts';
import { requestFile } from '../../../results/layout.ts';
import { readText, readTexts, writeTexts } from '../../../results/text-places.ts';
import type { JobRecord, RequestedMedium } from '../state/record.ts';

export interface DataUriSettings {
  readonly dataDir: string;
  /** Maximum length of a `data:` URI in the store, in characters. */
  readonly dataUriLength: number;
}

/** Moves long URIs of a record into a file. The name of the file is unique, even for a repeated request. */
export async function withDataUrisInFile(
  record: JobRecord,
  { dataDir, dataUriLength }: DataUriSettings,
): Promise<JobRecord> {
  const long = record.media.filter(({ uri }) => isLongData(uri, dataUriLength));
  if (long.length === 0) return record;
  const path = requestFile(record.jobId, randomBytes(8).toString('hex'));
  const uris = long.map(({ uri }) => uri);
  const places = await writeTexts(pathOf(dataDir, path), uris);
  const placeOf = new Map(long.map((medium, n) => [medium, { path, ...places[n]! }]));
  const media = record.media.map((medium): RequestedMedium => {
    const uriAt = placeOf.get(medium);
    return uriAt === undefined ? medium : { ...medium, uri: withoutData(medium.uri), uriAt };
  });
  return { ...record, media };
}

/** True if a URI is moved into the file. A text with an unpaired surrogate cannot be written unchanged, so it stays in the record. */
const isLongData = (uri: string, most: number): boolean =>
  uri.length > most && /^data:/i.test(uri) && !/\p{Surrogate}/u.test(uri);

/** Returns the files with the URIs of a record. */
export const requestFilesOf = ({ media }: Pick<JobRecord, 'media'>): readonly FileKey[] => [
  ...new Set(media.flatMap(({ uriAt }) => uriAt?.path ?? [])),
];

/** Returns the URI as in the request, or without its data if the file was deleted. */
export async function wholeUri(
  dataDir: string,
  { uri, uriAt }: Pick<RequestedMedium, 'uri' | 'uriAt'>,
): Promise<string> {
  if (uriAt === undefined) return uri;
  return (await readText({ ...uriAt, path: pathOf(dataDir, uriAt.path) })) ?? uri;
}

/** Returns the URIs of all media of a request. Each file is opened once. */
export async function wholeUris(
  dataDir: string,
  { media }: Pick<JobRecord, 'media'>,
): Promise<readonly string[]> {
  const whole = new Map<RequestedMedium, string | undefined>();
  for (const file of requestFilesOf({ media })) {
    const there = media.filter(({ uriAt }) => uriAt?.path === file);
    const texts = await readTexts(
      pathOf(dataDir, file),
      there.map(({ uriAt }) => uriAt!),
    );
    for (const [n, medium] of there.entries()) whole.set(medium, texts[n]);
  }
  return media.map((medium) => whole.get(medium) ?? medium.uri);
}
