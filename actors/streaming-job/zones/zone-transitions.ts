/** Processing of events in the zones of a streaming job, and of the results of their deliveries. */
import type { HttpNotice, NoticeReport } from '../../delivery/notice.ts';
import type { Change, StreamingJobContext } from '../context.ts';
import { MOST_WARNINGS, type StreamingJobRecord, type StreamingJobState } from '../state.ts';
import { countEvents } from './hours.ts';
import { keepEvents } from './stored-events.ts';
import { noticesOfEvents, noticesOfLife, type NoticeChanges } from './notices.ts';
import { NO_ZONES, type ZonesMessage } from './record.ts';

/** Returns the change by a report about zones. Returns undefined if the job has already processed it, or has no zones. */
export function afterZones(
  state: StreamingJobState,
  { seq, events, watch }: ZonesMessage,
  { record, at, rules: { baseUrl } }: StreamingJobContext,
): Change | undefined {
  const zones = state.zones ?? NO_ZONES;
  if (record.zones === undefined || seq <= zones.seq) return undefined;
  const kept = keepEvents(record, zones.kept, events, record.zones.receivers.kinds);
  const counts = countEvents(zones.hours, events);
  const known = { ...zones, seq, watch, kept: kept.kept, hours: counts.hours };
  const notices = noticesOfEvents(record, known, events, { at, baseUrl });
  return {
    ...withNotices(state, notices),
    putRows: [...kept.putRows, ...counts.putRows],
    removeRows: [...kept.removeRows, ...counts.removeRows],
  };
}

const NO_ZONE_EVENTS =
  'The component of this stream reports tracks, but does not process zones, lines and rules. They have no effect. Use a component that is built with the TypeScript SDK.';

/**
 * Warnings after a segment with tracks. Components that process zones report events with the first track. They may report the first
 * segment earlier, so only the second one counts.
 */
export function warningsAfterTracks(
  { warnings, zones, tracked }: StreamingJobState,
  record: StreamingJobRecord,
): readonly string[] {
  const isExpected = record.zones !== undefined && tracked !== null;
  if (!isExpected || (zones?.seq ?? 0) > 0 || warnings.includes(NO_ZONE_EVENTS)) return warnings;
  return warnings.length < MOST_WARNINGS ? [...warnings, NO_ZONE_EVENTS] : warnings;
}

function withNotices(state: StreamingJobState, { state: zones, put, remove }: NoticeChanges): Change {
  const destinations = [...new Set(put.map(({ destination }) => destination))];
  return {
    state: { ...state, zones },
    ...(put.length + remove.length === 0 ? {} : { outbox: { put, remove } }),
    ...(destinations.length === 0 ? {} : { effects: [{ type: 'deliver', destinations }] }),
  };
}

/** Adds the messages that announce the start or end of the stream to its receivers. */
export function withLife(change: Change, record: StreamingJobRecord, isThere: boolean, at: number): Change {
  const { state } = change;
  if (state === undefined || record.zones?.receivers.mqtt === undefined) return change;
  const notices = noticesOfLife(record, state.zones ?? NO_ZONES, isThere, at, state.inherited);
  const withThese = withNotices(state, notices);
  return { ...change, ...withThese, effects: [...(change.effects ?? []), ...(withThese.effects ?? [])] };
}

/** True if this version of the notice is pending. A newer version may have replaced it, and is sent later. */
const isPending = (state: StreamingJobState, id: string, version: number): boolean =>
  state.zones?.pending[id] === version;

type Reported = { readonly report: NoticeReport; readonly version: number };

export function afterNotice(state: StreamingJobState, { report, version }: Reported): Change {
  const { id } = report;
  if (!isPending(state, id, version)) return {};
  const { [id]: _, ...others } = state.zones!.pending;
  if (report.type === 'noticeSent')
    return {
      state: { ...state, zones: { ...state.zones!, pending: others, trouble: null } },
      outbox: { remove: [id] },
    };
  const { next, reason: trouble } = report;
  if (next !== null) {
    const { createdAt } = next.body as HttpNotice;
    const pending = { ...state.zones!.pending, [id]: createdAt };
    return { state: { ...state, zones: { ...state.zones!, pending, trouble } }, outbox: { put: [next] } };
  }
  const dropped = state.zones!.dropped + 1;
  return {
    state: { ...state, zones: { ...state.zones!, pending: others, dropped, trouble } },
    outbox: { remove: [id] },
  };
}
