/** Messages to the archive, an external store of results (specification 6.4): queries before a job runs, and posts afterwards. */
import { createHash } from 'node:crypto';
import { groupBy } from '../grouping.ts';
import { jobConfigHashInSteps, levelsOf, type HashedJob, type JobConfiguration } from './job-config-hash.ts';
import { mediaTypeOf } from '../plan/media-types.ts';
import { propertyLookup, textOf } from '../properties/properties.ts';
import type { ArchiveQuestion, MediaSelector, MediaType, MediumFacts, Properties, Range } from '../types.ts';
import { isBlank, parseBoolean } from '../values.ts';

/** A medium of the request. `facts` are known after the inspection. */
export interface ArchiveMedium {
  readonly metadata: Properties;
  readonly properties: Properties;
  readonly frameRanges: readonly Range[];
  readonly timeRanges: readonly Range[];
  readonly selectors?: readonly MediaSelector[];
  readonly facts?: Pick<MediumFacts, 'sha256' | 'mimeType' | 'mediaType'> | null | undefined;
}

/** The fields of a job's record, with the facts of its media. */
export interface ArchiveJob extends JobConfiguration {
  readonly media: readonly ArchiveMedium[];
}

/** Why the archive is not queried (specification 2.1, archiveCheckStatus). For the ABSENT ones, it is queried after the inspection. */
export type NotAsked =
  | 'NOT_REQUESTED'
  | 'NO_ARCHIVE_URL_IN_JOB'
  | 'MEDIA_HASHES_ABSENT'
  | 'MEDIA_MIME_TYPES_ABSENT';
/** The archive status in the answer to a job's creation. The specification has no value for a failed check, so it counts as no match. */
export type ArchiveCheckStatus = NotAsked | 'NO_MATCH' | 'FOUND_MATCH';
export type ArchiveCheck =
  | { readonly kind: 'notAsked'; readonly status: NotAsked }
  | { readonly kind: 'ask'; readonly question: ArchiveQuestion };

/**
 * Determines, in steps, whether the archive is queried before the job runs, and for what. It is called again after the inspection of the
 * media.
 */
export function* archiveCheckInSteps(job: ArchiveJob): Generator<void, ArchiveCheck> {
  if (!checkRequested(job)) return { kind: 'notAsked', status: 'NOT_REQUESTED' };
  yield;
  const urls = archiveUrls(job);
  yield;
  if (urls.every((url) => url === null)) return { kind: 'notAsked', status: 'NO_ARCHIVE_URL_IN_JOB' };
  if (job.media.some((medium) => archiveHash(medium) === null))
    return { kind: 'notAsked', status: 'MEDIA_HASHES_ABSENT' };
  if (job.media.some((medium) => isBlank(mimeTypeOf(medium))))
    return { kind: 'notAsked', status: 'MEDIA_MIME_TYPES_ABSENT' };
  const archives = archivesOf(job, urls);
  yield;
  return { kind: 'ask', question: { archives, jobConfigHash: yield* configHashInSteps(job) } };
}

/** False if SKIP_ARCHIVE_CHECK is TRUE for every action on every medium. */
function checkRequested(job: ArchiveJob): boolean {
  const valuesOf = lookUp(job);
  return !job.media.every((medium) => valuesOf(medium, 'SKIP_ARCHIVE_CHECK').every(isTrue));
}

/** The ARCHIVE_URL of each medium: that of the first action that has one, or null. */
export function archiveUrls(job: ArchiveJob): readonly (string | null)[] {
  const valuesOf = lookUp(job);
  return job.media.map((medium) => {
    const urls = valuesOf(medium, 'ARCHIVE_URL').map((url) => url?.trim() ?? '');
    return urls.find((url) => url !== '') ?? null;
  });
}

/** The ARCHIVE_URL of one medium, or null. */
export const archiveUrl = (job: ArchiveJob, medium: ArchiveMedium): string | null =>
  archiveUrls({ ...job, media: [medium] })[0] ?? null;

/** Returns a test. It is true if a token of the service is sent: the property is TRUE for any action on any of these media. */
export function addsToken(
  job: JobConfiguration,
  name: 'ARCHIVE_ADD_TOKEN' | 'CALLBACK_ADD_TOKEN',
): (media: readonly ArchiveMedium[]) => boolean {
  const valuesOf = lookUp(job);
  return (media) => media.some((medium) => valuesOf(medium, name).some(isTrue));
}

const isTrue = (value: string | undefined): boolean => parseBoolean(value) === true;

/**
 * The hash of a medium in the archive. This is LINKED_MEDIA_HASH (of the original, if the medium is a copy in another format), or its own
 * hash. Null if neither is known.
 */
export function archiveHash({
  properties,
  metadata,
  facts,
}: Omit<ArchiveMedium, 'frameRanges' | 'timeRanges'>) {
  const linked = [properties, metadata].map((values) => textOf(values, 'LINKED_MEDIA_HASH', ''));
  const own = facts?.sha256 ?? textOf(metadata, 'MEDIA_HASH', '');
  return [...linked, own].map((hash) => hash.trim().toLowerCase()).find((hash) => hash !== '') ?? null;
}

/** The hash of the job's configuration, as far as its media are known. Computed in steps. */
export function configHashInSteps(job: ArchiveJob): Generator<void, string> {
  const media = job.media.map((medium): HashedJob['media'][number] => ({
    sha256: archiveHash(medium) ?? '',
    mediaType: mediaTypeIn(medium),
    properties: medium.properties,
    frameRanges: medium.frameRanges,
    timeRanges: medium.timeRanges,
    ...(medium.selectors === undefined ? {} : { selectors: medium.selectors }),
  }));
  return jobConfigHashInSteps({ ...job, media });
}

/** Maximum number of media per archive query. One hash covers the whole job, so an equal job is stored for each of its media. */
const ASKED_OF_ONE = 8;

function archivesOf(job: ArchiveJob, urls: readonly (string | null)[]): ArchiveQuestion['archives'] {
  const known = job.media.flatMap((medium, i) => {
    const url = urls[i] ?? null;
    return url === null ? [] : [{ url, medium }];
  });
  const withToken = addsToken(job, 'ARCHIVE_ADD_TOKEN');
  return [...groupBy(known, ({ url }) => url)].map(([url, group]) => {
    const media = group.map(({ medium }) => medium);
    const sha256s = new Set(media.flatMap((medium) => archiveHash(medium) ?? []));
    return {
      url,
      sha256s: [...sha256s].slice(0, ASKED_OF_ONE),
      addToken: withToken(media),
    };
  });
}

const mimeTypeOf = ({ facts, metadata }: ArchiveMedium): string =>
  facts?.mimeType ?? textOf(metadata, 'MIME_TYPE', '');
const mediaTypeIn = (medium: ArchiveMedium): MediaType =>
  medium.facts?.mediaType ?? mediaTypeOf(mimeTypeOf(medium));

/** Looks up an effective property of a medium, in each action of the pipeline. */
function lookUp(
  job: JobConfiguration,
): (medium: ArchiveMedium, name: string) => readonly (string | undefined)[] {
  const actions = job.plan.tasks.flatMap((task) => task.actions).map((action) => levelsOf(job, action));
  const byType = new Map<MediaType, readonly ReturnType<typeof propertyLookup>[]>();
  return (medium, name) => {
    const mediaType = mediaTypeIn(medium);
    const lookups = byType.get(mediaType) ?? actions.map((levels) => propertyLookup(levels, mediaType));
    byType.set(mediaType, lookups);
    return lookups.map((value) => value(medium.properties, name));
  };
}

/** The name of this service in the archive. */
export const ARCHIVE_SYSTEM = 'Troupe';
const SUPPLEMENTALS = '/api/db/supplementals';
/** Entries in a page of the archive. A page with fewer entries is the last one. */
export const ARCHIVE_PAGE = 100;

/** Why an ARCHIVE_URL is invalid, as a sentence. Null if it is valid. */
export function refusedArchiveUrl(url: string): string | null {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return null;
  return 'The ARCHIVE_URL property is not a valid address. It must begin with http:// or https://.';
}

/**
 * The URL to which results of an inspected medium are posted.
 * @throws TypeError if `url` is malformed
 */
export function postUrl(
  url: string,
  { sha256, ...medium }: { readonly sha256: string } & Pick<ArchiveMedium, 'metadata' | 'properties'>,
): string {
  const facts = { sha256, mimeType: '', mediaType: 'UNKNOWN' } as const;
  return supplementals(url, archiveHash({ ...medium, facts }) ?? '').href;
}

function supplementals(url: string, hash: string): URL {
  const target = new URL(url);
  target.pathname = target.pathname.replace(/(?<!\/)\/+$/, '') + SUPPLEMENTALS;
  target.searchParams.set('sha256Hash', hash);
  target.hash = '';
  return target;
}

/**
 * The URL of a page of the archive's entries for a medium, from the entry `offset` on.
 * @throws TypeError if `url` is malformed
 */
export function checkUrl(url: string, sha256: string, offset: number): string {
  const target = supplementals(url, sha256);
  target.searchParams.set('system', ARCHIVE_SYSTEM);
  target.searchParams.set('offset', String(offset));
  target.searchParams.set('limit', String(ARCHIVE_PAGE));
  return target.href;
}

/** Facts about one medium of an ended job, for the archive. */
export interface AssertionFacts {
  /** UUID of the run's document, and id of the post. Both stay the same in all attempts. */
  readonly objectId: string;
  readonly noticeId: string;
  readonly pipeline: string;
  /** Tracks found in this medium, by track type. */
  readonly found: Readonly<Record<string, number>>;
  readonly jobId: string;
  /** Address of the detection document, and its hex SHA-256. Null if none was written. */
  readonly outputUri: string | null;
  readonly outputHash: string | null;
  /** End of the job: ISO 8601, UTC. */
  readonly processDate: string;
  readonly jobStatus: string;
  readonly system: { readonly version: string; readonly host: string };
  readonly jobConfigHash: string;
  /** Durations in milliseconds by name. */
  readonly timing?: Readonly<Record<string, number>> | undefined;
}

export interface Assertion {
  readonly assertionId: string;
  readonly informationType: string;
  readonly securityTag: string;
  readonly system: string;
  readonly dataObject: Readonly<Record<string, unknown>>;
}

/** The body of a post to the archive. */
export function assertion(facts: AssertionFacts): Assertion {
  const found = Object.entries(facts.found).filter(([, tracks]) => tracks > 0);
  return {
    assertionId: nameBasedUuid(facts.objectId, facts.noticeId),
    informationType: `${ARCHIVE_SYSTEM} Tracks`,
    securityTag: 'UNCLASSIFIED',
    system: ARCHIVE_SYSTEM,
    dataObject: {
      pipeline: facts.pipeline,
      outputTypes: found.map(([type]) => type).toSorted((a, b) => (a < b ? -1 : 1)),
      jobId: facts.jobId,
      outputUri: facts.outputUri,
      sha256OutputHash: facts.outputHash,
      processDate: facts.processDate,
      jobStatus: facts.jobStatus,
      systemVersion: facts.system.version,
      systemHostname: facts.system.host,
      trackCount: found.reduce((sum, [, tracks]) => sum + tracks, 0),
      jobConfigHash: facts.jobConfigHash,
      ...(facts.timing === undefined ? {} : { timing: facts.timing }),
    },
  };
}

/** The UUID of a name within a namespace, itself a UUID (RFC 9562, version 5). */
function nameBasedUuid(namespace: string, name: string): string {
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(space).update(name, 'utf8').digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
