/** The request that creates a stored stream again, with some changed members. */
import type { ZonePlan } from '../../domain/zones/types.ts';
import type { RecordingRules } from '../streaming-job/recordings/recording-rules.ts';
import type { StreamingJobRecord } from '../streaming-job/state.ts';
import type { StreamingJobRequest } from './request.ts';
import type { RequestedReceivers, RequestedZones } from './zones.ts';

type Kept = 'user' | 'owner' | 'stream' | 'zones';

/** Each member replaces the stored one. Undefined members stay unchanged. */
export interface StreamChanges {
  readonly request: Partial<Omit<StreamingJobRequest, Kept>>;
  readonly stream: Partial<Omit<StreamingJobRequest['stream'], 'recording'>>;
  /** Null if nothing is recorded any more. */
  readonly recording?: RecordingRules | null;
  readonly plan: Partial<ZonePlan>;
  readonly receivers?: RequestedReceivers;
}

const NO_PLAN: ZonePlan = { zones: [], lines: [], rules: [] };

export function changedRequest(record: StreamingJobRecord, changes: StreamChanges): StreamingJobRequest {
  const { recording = record.recording } = changes;
  // Older records have only effective properties. They are passed as media properties, which override all others.
  const given = record.given ?? {
    ...{ jobProperties: {}, algorithmProperties: {} },
    mediaProperties: record.properties,
  };
  const zones = changedZones(record, changes);
  return {
    ...pick(record),
    ...{ jobProperties: given.jobProperties, algorithmProperties: given.algorithmProperties },
    ...changes.request,
    stream: {
      uri: record.streamUri,
      segmentSize: record.segmentSize,
      properties: given.mediaProperties,
      ...changes.stream,
      ...(recording === null || recording === undefined ? {} : { recording }),
    },
    ...(zones === undefined ? {} : { zones }),
  };
}

function pick(record: StreamingJobRecord) {
  const { externalId, user, owner, callbackSecrets, stallTimeout, enableOutputToDisk, pipelineName } = record;
  const { healthReportCallbackUri, summaryReportCallbackUri, stallCallbackUri } = record;
  return {
    ...{ externalId, user, stallTimeout, enableOutputToDisk, pipelineName },
    ...{ healthReportCallbackUri, summaryReportCallbackUri, stallCallbackUri },
    ...(owner === undefined ? {} : { owner }),
    ...(callbackSecrets === undefined ? {} : { callbackSecrets }),
  };
}

function changedZones(
  { zones }: StreamingJobRecord,
  { plan, receivers }: StreamChanges,
): RequestedZones | undefined {
  if (zones === undefined && receivers === undefined && Object.keys(plan).length === 0) return undefined;
  return {
    plan: { ...NO_PLAN, ...zones?.plan, ...plan },
    receivers: receivers ?? (zones && storedReceivers(zones.receivers)),
  };
}

/** Returns stored receivers as a request. A job without a prefix has disabled discovery, which a missing prefix would enable. */
const storedReceivers = ({ mqtt, ...others }: NonNullable<StreamingJobRecord['zones']>['receivers']) => ({
  ...others,
  ...(mqtt === undefined ? {} : { mqtt: { ...mqtt, discoveryPrefix: mqtt.discoveryPrefix ?? '' } }),
});
