/**
 * Writes the detection document (specification 2.2) piece by piece. Tracks of a medium are copied from their files into the document, so
 * memory does not grow with them. Errors and warnings are at the end, after all media.
 */
import { isExemplar, type WrittenDetection } from '../../domain/tracks/exemplar.ts';
import type {
  DocumentDetails,
  DocumentHead,
  DocumentIssue,
  DocumentMedium,
  DocumentOutput,
  SubJobError,
} from '../../protocol/document-work.ts';
import type { MediaType, Properties } from '../../domain/types.ts';
import type { ReportedRun } from '../../domain/zones/dry-run.ts';
import { censorDeep, censorProperties, maskUri } from '../../domain/job/censor.ts';
import { markupHref, mediumHref, selectorsOutputHref } from './hrefs.ts';
import { inChunks } from '../lines.ts';
import { placesOf, trackLines, typesIn, type ReadTracks, type TypeIndex } from './track-lines.ts';

/** Keys of `output` for actions without tracks, and for actions whose tracks are suppressed. */
const NO_TRACKS = 'NO TRACKS';
const TRACKS_SUPPRESSED = 'TRACKS SUPPRESSED';

const NOTHING_KNOWN = { sha256: '', mimeType: '', mediaType: 'UNKNOWN', length: -1, metadata: {} } as const;

export interface DocumentSources {
  readonly readTracks?: ReadTracks;
  /** Adds detail members to the JSON of a medium's tracks. */
  readonly detailed?: (medium: DocumentMedium) => Rewrite;
  /** Runs the zones of the job before the tracks are written. Undefined: the document has none. */
  readonly runZones?: RunZones;
}

/** What happened in the zones of a medium. */
export interface ZonesOfMedium {
  readonly run: ReportedRun;
  /** Properties for a track by its place among the tracks that the document has of the medium. Undefined: none. */
  propertiesOf(track: number): Properties | undefined;
  close(): void;
}

type RunZones = (medium: DocumentMedium) => Promise<ZonesOfMedium | undefined>;

type Rewrite = (track: string) => string;

const asItIs: Rewrite = (track) => track;
const withoutZones: RunZones = async () => undefined;

/** Yields the text of the document in chunks of about 64 KiB, or of one track if that is longer. */
export function writeDocument(
  head: DocumentHead,
  media: AsyncIterable<DocumentMedium>,
  { readTracks = trackLines, detailed = () => asItIs, runZones = withoutZones }: DocumentSources = {},
): AsyncGenerator<string> {
  return inChunks(
    pieces(head, media, { readTracks, detailed: head.details === null ? () => asItIs : detailed, runZones }),
  );
}

async function* pieces(
  head: DocumentHead,
  media: AsyncIterable<DocumentMedium>,
  { readTracks, detailed, runZones }: Required<DocumentSources>,
): AsyncGenerator<string> {
  const errors = [...issueEntry(head.errors)];
  const warnings = [...issueEntry(head.warnings)];
  yield `${openObject(headFields(head))},"media":[`;
  let place = 0;
  const types = new Set<MediaType>();
  for await (const medium of media) {
    if (medium.facts !== null) types.add(medium.facts.mediaType);
    errors.push(...issueEntry(medium.errors, medium.mediaId));
    warnings.push(...issueEntry(medium.warnings, medium.mediaId));
    const fields = mediumFields(medium);
    const told = head.details === null ? fields : withHrefs(fields, medium);
    yield `${place === 0 ? '' : ','}\n${openObject(told)},"output":{`;
    const zones = await runZones(medium);
    try {
      yield* outputPieces(medium.outputs, readTracks, withZones(zones, detailed(medium)));
    } finally {
      zones?.close();
    }
    yield `}${zoneMember(zones?.run)}}`;
    place += 1;
  }
  yield `],\n"errors":${JSON.stringify(errors)},\n"warnings":${JSON.stringify(warnings)}`;
  if (head.details !== null)
    yield `,\n"componentVersions":${JSON.stringify(head.details.componentVersions)},\n"effectiveProperties":${JSON.stringify(propertiesOfTypes(head.details, types))}`;
  yield '}\n';
}

const zoneMember = (run: ReportedRun | undefined): string =>
  run === undefined ? '' : `,\n"zoneRun":${JSON.stringify(run)}`;

/** Adds the properties that zones give to tracks. It receives all tracks of a medium in the order of the document. */
function withZones(zones: ZonesOfMedium | undefined, rewrite: Rewrite): Rewrite {
  if (zones === undefined) return rewrite;
  let place = 0;
  return (line) => {
    const properties = zones.propertiesOf(place++);
    if (properties === undefined) return rewrite(line);
    const track = JSON.parse(line) as { readonly trackProperties: Properties };
    return rewrite(
      JSON.stringify({ ...track, trackProperties: { ...track.trackProperties, ...properties } }),
    );
  };
}

const propertiesOfTypes = ({ effectiveProperties }: DocumentDetails, types: ReadonlySet<MediaType>) =>
  effectiveProperties
    .filter(({ mediaType }) => types.has(mediaType))
    .map((one) => ({ ...one, properties: censorProperties(one.properties) }));

function headFields(head: DocumentHead): Readonly<Record<string, unknown>> {
  return {
    jobId: head.jobId,
    objectId: head.objectId,
    pipeline: censorDeep(head.pipeline),
    priority: head.priority,
    siteId: head.siteId,
    externalJobId: head.externalJobId,
    timeStart: head.timeStart,
    timeStop: head.timeStop,
    timing: head.timing,
    status: head.status,
    algorithmProperties: censorDeep(head.algorithmProperties),
    jobProperties: censorProperties(head.jobProperties),
    environmentVariableProperties: censorProperties(head.environmentVariableProperties),
  };
}

function mediumFields(medium: DocumentMedium): Readonly<Record<string, unknown>> {
  const facts = medium.facts ?? NOTHING_KNOWN;
  return {
    mediaId: medium.mediaId,
    parentMediaId: medium.parentMediaId,
    path: maskUri(medium.path),
    sha256: facts.sha256,
    mimeType: facts.mimeType,
    mediaType: facts.mediaType,
    length: facts.length,
    frameRanges: medium.frameRanges,
    timeRanges: medium.timeRanges,
    mediaMetadata: facts.metadata,
    mediaProperties: censorProperties(medium.mediaProperties),
    status: medium.status,
    detectionProcessingErrors: processingErrors(medium.detectionErrors, facts.mediaType),
    markupResult: medium.markup,
    ...(medium.selectorsOutputUri === null ? {} : { mediaSelectorsOutputUri: medium.selectorsOutputUri }),
  };
}

/** Adds the download path beside each file on the server. */
function withHrefs(
  fields: Readonly<Record<string, unknown>>,
  { mediaId, path, markup, selectorsOutputUri }: DocumentMedium,
): Readonly<Record<string, unknown>> {
  return {
    ...fields,
    ...(isOnServer(path) ? { href: mediumHref(mediaId) } : {}),
    ...(isOnServer(markup?.path) ? { markupResult: { ...markup, href: markupHref(mediaId) } } : {}),
    ...(isOnServer(selectorsOutputUri) ? { mediaSelectorsOutputHref: selectorsOutputHref(mediaId) } : {}),
  };
}

const isOnServer = (uri: string | null | undefined) => /^file:/i.test(uri ?? '');

function processingErrors(
  errors: DocumentMedium['detectionErrors'],
  mediaType: MediaType,
): Readonly<Record<string, readonly object[]>> {
  const entry = ({ range, startTime, stopTime, code, message }: SubJobError): object => ({
    startOffsetFrame: range.start,
    stopOffsetFrame: range.stop >= range.start ? range.stop : range.start + (mediaType === 'IMAGE' ? 1 : 0),
    startOffsetTime: startTime,
    stopOffsetTime: stopTime,
    code,
    message,
  });
  return Object.fromEntries(Object.entries(errors).map(([action, list]) => [action, list.map(entry)]));
}

function issueEntry(issues: readonly DocumentIssue[], mediaId?: number): readonly object[] {
  if (issues.length === 0) return [];
  const details = issues.map(({ source, code, message }) => ({ source, code, message }));
  return [mediaId === undefined ? { details } : { mediaId, details }];
}

async function* outputPieces(
  outputs: readonly DocumentOutput[],
  readTracks: ReadTracks,
  rewrite: Rewrite,
): AsyncGenerator<string> {
  const keys = [...new Set(outputs.flatMap(keysOf))].toSorted((a, b) => (a < b ? -1 : 1));
  const indexes = new Map<DocumentOutput, TypeIndex>();
  let lead = '\n';
  for (const key of keys) {
    yield `${lead}${JSON.stringify(key)}:[`;
    let entryLead = '';
    for (const output of outputs.filter((each) => keysOf(each).includes(key))) {
      const { action, algorithm, annotators } = output;
      const fields = { source: action, algorithm, ...(annotators.length > 0 ? { annotators } : {}) };
      yield `${entryLead}${openObject(fields)}`;
      if (key !== NO_TRACKS && key !== TRACKS_SUPPRESSED)
        yield* trackPieces(output, key, linesOfType(output, key, readTracks, indexes), rewrite);
      yield '}';
      entryLead = ',';
    }
    yield ']';
    lead = ',\n';
  }
}

function keysOf({ tracks, types, suppressed }: DocumentOutput): readonly string[] {
  const found = tracks === null ? [] : Object.keys(types).filter((type) => (types[type] ?? 0) > 0);
  if (found.length === 0) return [NO_TRACKS];
  return suppressed ? [TRACKS_SUPPRESSED] : found;
}

/** Copies tracks. A truncated file would silently omit tracks from the document, so it is an error. */
async function* trackPieces(
  output: DocumentOutput,
  type: string,
  lines: AsyncIterable<string>,
  rewrite: Rewrite,
): AsyncGenerator<string> {
  const expected = output.types[type] ?? 0;
  let written = 0;
  yield ',"tracks":[';
  for await (const line of lines) {
    yield written === 0 ? '\n' : ',\n';
    yield rewrite(output.exemplarsOnly ? withoutMany(line) : line);
    written += 1;
  }
  if (written !== expected)
    throw new Error(
      `The results of ${output.action} have ${written} tracks of type ${type} instead of ${expected}.`,
    );
  yield ']';
}

/** Reads the file once, or twice if it has several types. Once for each type would take hours if there are thousands. */
async function* linesOfType(
  output: DocumentOutput,
  type: string,
  readTracks: ReadTracks,
  indexes: Map<DocumentOutput, TypeIndex>,
): AsyncGenerator<string> {
  const { tracks: path, types, lines: { first, count } = { first: 0, count: Infinity } } = output;
  if (Object.keys(types).length > 1) {
    const index = indexes.get(output) ?? (await typesIn(path ?? '', first, count));
    indexes.set(output, index);
    yield* readTracks(path ?? '', placesOf(index, type));
    return;
  }
  let at = -1;
  for await (const line of readTracks(path ?? '')) {
    at += 1;
    if (at < first) continue;
    if (at >= first + count) return;
    yield line;
  }
}

/** A track with only its exemplar and the detections with an artifact. */
function withoutMany(line: string): string {
  const track = JSON.parse(line) as { exemplar: DocumentDetection; detections: DocumentDetection[] };
  const kept = track.detections.filter(
    (one) => isExemplar(one, track.exemplar) || one.artifactExtractionStatus === 'COMPLETED',
  );
  return JSON.stringify({ ...track, detections: kept });
}

interface DocumentDetection extends WrittenDetection {
  readonly artifactExtractionStatus: string;
}

/** A JSON object without its closing brace. */
function openObject(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields).slice(0, -1);
}
