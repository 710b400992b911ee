import type { RecordingWork } from '../../../protocol/stream-fragments.ts';
import type { ReadingRules, ReconnectRules, StreamAction, ZoneWork } from '../../../protocol/streams.ts';
import type { StreamAssignment } from '../../../protocol/worker-protocol.ts';
import { NO_ZONES } from '../../streaming-job/zones/record.ts';
import type { Lease } from '../../../store/ledger.ts';
import type { RecordingRules } from '../../streaming-job/recordings/recording-rules.ts';
import type { NamedStreamAction } from '../../streaming-job/state.ts';
import type { StoredStream } from '../../streaming-job/stored-stream.ts';

export interface StreamSettings {
  readonly heartbeatMs: number;
  /** Milliseconds without a frame after which a stream is STALLED. */
  readonly stallAlertMs: number;
  readonly reconnect: ReconnectRules;
  readonly reading: ReadingRules;
  readonly allowPrivate: boolean;
  /** Maximum size of a picture from a component. */
  readonly maxPictureBytes: number;
}

/** Returns the work that a component receives when it claims a stream. */
export function streamAssignment(
  { item, token }: Lease,
  { record, state }: StoredStream,
  settings: StreamSettings,
): StreamAssignment {
  return {
    token,
    id: item.id,
    kind: 'STREAM',
    algorithm: record.algorithm,
    attempt: item.attempt,
    heartbeatMs: settings.heartbeatMs,
    ...(record.traceparent === undefined ? {} : { traceparent: record.traceparent }),
    work: {
      jobId: record.number,
      uri: record.streamUri,
      allowPrivate: settings.allowPrivate,
      trackType: record.trackType,
      properties: record.properties,
      ...(record.actions === undefined ? {} : { actions: record.actions.map(actionOf) }),
      segmentSize: record.segmentSize,
      firstSegment: state.lastSegment + 1,
      stall: { alertMs: settings.stallAlertMs, timeoutMs: record.stallTimeout },
      reconnect: settings.reconnect,
      reading: settings.reading,
      ...(record.zones === undefined ? {} : { zones: zonesOf(record.zones.plan, state.zones) }),
      ...(record.recording === undefined ? {} : { recording: recordingWork(record.recording) }),
    },
  };
}

const actionOf = ({ task, algorithm, trackType, properties }: NamedStreamAction): StreamAction => ({
  task,
  algorithm,
  trackType,
  properties,
});

const zonesOf = (plan: ZoneWork['plan'], { watch, seq } = NO_ZONES): ZoneWork => ({
  plan,
  state: watch,
  seq,
});

const recordingWork = ({ uri }: RecordingRules): RecordingWork => (uri === undefined ? {} : { uri });
