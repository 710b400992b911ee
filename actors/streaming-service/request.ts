/** All checks that can refuse a request for a streaming job (specification 2.3, 4.3). */
import type { Owner } from '../../domain/users/owner.ts';
import { refusedCallbackUrl } from '../../domain/job/callback.ts';
import { jobNotes, lookForWrongValues } from '../../domain/job/job-notes.ts';
import { levelsOf } from '../../domain/job/job-config-hash.ts';
import { resolvePlan } from '../../domain/plan/plan-checks.ts';
import type { CatalogLookup } from '../../domain/plan/plan-lookup.ts';
import type { PipelinePlan, PlannedAction } from '../../domain/plan.ts';
import { effectiveProperties } from '../../domain/properties/properties.ts';
import { refusedProperty } from '../../domain/properties/property-checks.ts';
import { overLimit, type RequestLimits } from '../../domain/plan/request-limits.ts';
import type { Properties } from '../../domain/types.ts';
import type { RefusalReason } from '../requests/submission.ts';
import type { RecordingRules } from '../streaming-job/recordings/recording-rules.ts';
import type { StreamingJobRecord } from '../streaming-job/state.ts';
import { checkedActions } from './actions.ts';
import { checkedZones, type RequestedZones } from './zones.ts';

/** A validated request, independent of HTTP. */
export interface StreamingJobRequest {
  readonly externalId: string | null;
  readonly user: string;
  readonly owner?: Owner;
  readonly jobProperties: Properties;
  /** Secrets that sign reports. If undefined, the server uses its own secrets for the receiver. */
  readonly callbackSecrets?: readonly string[];
  /** Trace of the request (W3C Trace Context). */
  readonly traceparent?: string;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly stream: {
    readonly uri: string;
    /** Frames of a segment. */
    readonly segmentSize: number;
    readonly properties: Properties;
    /** Settings of the recording. Undefined if nothing is recorded. */
    readonly recording?: RecordingRules;
  };
  /** Milliseconds; -1: a stall never ends the job. */
  readonly stallTimeout: number;
  readonly enableOutputToDisk: boolean;
  readonly healthReportCallbackUri: string | null;
  readonly summaryReportCallbackUri: string | null;
  readonly stallCallbackUri: string | null;
  readonly pipelineName: string;
  /** Undefined if the job has no zones. */
  readonly zones?: RequestedZones;
}

export interface StreamingRequestSettings {
  readonly limits: RequestLimits;
  readonly serverProperties: Properties;
  readonly environmentProperties: Properties;
  /** Algorithms whose components can watch a stream in one process. */
  readonly together: ReadonlySet<string>;
}

/** The job to store, without its number and its time. */
export type WantedStream = Omit<StreamingJobRecord, 'number' | 'createdAt'>;

/** Returns a request for any camera, to check only the pipeline. */
export const plainRequest = (pipelineName: string): StreamingJobRequest => ({
  ...{ pipelineName, externalId: null, user: '', jobProperties: {}, algorithmProperties: {} },
  stream: { uri: 'rtsp://camera/', segmentSize: LEAST_SEGMENT, properties: {} },
  ...{ stallTimeout: -1, enableOutputToDisk: false },
  ...{ healthReportCallbackUri: null, summaryReportCallbackUri: null, stallCallbackUri: null },
});

const SCHEMES = new Set(['rtsp:', 'rtsps:', 'http:', 'https:']);
const LEAST_SEGMENT = 10;
/** Maximum size of a segment in frames, because the tracks of a segment are held in memory until it is full. */
const MAX_SEGMENT_SIZE = 100_000;
const CALLBACKS = ['healthReportCallbackUri', 'summaryReportCallbackUri', 'stallCallbackUri'] as const;

export function checkedStream(
  request: StreamingJobRequest,
  catalog: CatalogLookup,
  settings: StreamingRequestSettings,
): { readonly ok: WantedStream } | { readonly refused: string; readonly reason?: RefusalReason } {
  const refused =
    refusedStream(request) ?? refusedSizes(request, settings.limits) ?? refusedCallbacks(request);
  if (refused !== undefined) return { refused };
  const resolved = resolvePlan(catalog, { pipelineName: request.pipelineName }, 'stream', settings.limits);
  if ('refused' in resolved) return resolved;
  const { ok: plan } = resolved;
  const wrong = refusedProperties(request) ?? refusedValues(request, plan);
  if (wrong !== undefined) return { refused: wrong };
  const { stream, jobProperties, algorithmProperties, zones: wantedZones, ...rest } = request;
  const propertiesOf = (action: PlannedAction): Properties => {
    const levels = levelsOf({ ...settings, jobProperties, algorithmProperties, plan }, action);
    return effectiveProperties({ ...levels, media: stream.properties }, 'VIDEO');
  };
  const actions = checkedActions(plan, propertiesOf, settings.together);
  if ('refused' in actions) return actions;
  const zones = wantedZones && checkedZones(wantedZones, actions.ok.finding);
  if (zones !== undefined && 'refused' in zones) return zones;
  return {
    ok: {
      ...rest,
      ...(zones === undefined ? {} : { zones: zones.ok }),
      streamUri: stream.uri,
      segmentSize: stream.segmentSize,
      ...(stream.recording === undefined ? {} : { recording: stream.recording }),
      pipelineName: plan.name,
      ...actions.ok.record,
      warnings: warningsOf(request, plan),
      given: { jobProperties, algorithmProperties, mediaProperties: stream.properties },
    },
  };
}

/** Renames a property in a message. The checks of batch jobs name one of many media, but a stream has only one. */
const asStream = (text: string) => text.replace('media[0].properties', 'mediaProperties');

/** Returns the parts of the request without effect: unknown names and values. */
const warningsOf = (
  { jobProperties, algorithmProperties, stream: { properties } }: StreamingJobRequest,
  plan: PipelinePlan,
): readonly string[] =>
  jobNotes({ plan, jobProperties, algorithmProperties, media: [{ properties }] }).map(asStream);

function refusedValues(
  { jobProperties, algorithmProperties, stream: { properties } }: StreamingJobRequest,
  plan: PipelinePlan,
): string | undefined {
  for (const refused of lookForWrongValues({
    plan,
    jobProperties,
    algorithmProperties,
    media: [{ properties }],
  }))
    if (refused !== undefined) return `Property validation failed due to: ${asStream(refused)}`;
  return undefined;
}

function refusedStream({
  stream: { uri, segmentSize, recording },
  stallTimeout,
}: StreamingJobRequest): string | undefined {
  const recorded = recording?.uri;
  if (recorded !== undefined && !(URL.canParse(recorded) && SCHEMES.has(new URL(recorded).protocol)))
    return 'The URI in `recording` is not supported. Give one of rtsp, rtsps, http and https, or leave it out.';
  if (uri.trim() === '') return 'A stream URI was not provided.';
  const scheme = URL.canParse(uri) ? new URL(uri).protocol : undefined;
  if (scheme === undefined) return 'The stream URI is malformed: it must look like rtsp://host/path.';
  if (!SCHEMES.has(scheme))
    return 'The scheme of the provided URI is not supported. Only RTSP, HTTP, and HTTPS are supported.';
  if (segmentSize < LEAST_SEGMENT) return `The segment size must be at least ${LEAST_SEGMENT}.`;
  if (segmentSize > MAX_SEGMENT_SIZE) return `The segment size must be at most ${MAX_SEGMENT_SIZE}.`;
  return stallTimeout < -1
    ? 'The stall timeout must be -1 (never) or a number of milliseconds from 0.'
    : undefined;
}

function refusedSizes(request: StreamingJobRequest, limits: RequestLimits): string | undefined {
  const { externalId, pipelineName, jobProperties, algorithmProperties, stream } = request;
  const over = overLimit(
    {
      externalId,
      pipelineName,
      jobProperties,
      algorithmProperties,
      media: [{ uri: stream.uri, metadata: {}, properties: stream.properties }],
    },
    limits,
  );
  return over === undefined ? undefined : asStream(over).replace('media[0].mediaUri', 'streamUri');
}

function refusedCallbacks(request: StreamingJobRequest): string | undefined {
  for (const name of CALLBACKS) {
    const address = request[name];
    const refused = address === null ? undefined : refusedCallbackUrl(address);
    if (refused !== undefined) return refused.replace('callbackURL', name);
  }
  return undefined;
}

function refusedProperties({ jobProperties, algorithmProperties, stream }: StreamingJobRequest) {
  for (const properties of [jobProperties, ...Object.values(algorithmProperties), stream.properties]) {
    const refused = refusedProperty(properties);
    if (refused !== null) return `Property validation failed due to: ${refused}`;
  }
  return undefined;
}
