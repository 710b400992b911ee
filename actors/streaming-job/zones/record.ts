/** The zones of a request, and the state of a job's zones. */
import type { ZoneCounts } from '../../../domain/zones/counts.ts';
import type { WatchedEvent } from '../../../protocol/streams.ts';
import type { ZonePlan } from '../../../domain/zones/types.ts';
import { NOTHING_SEEN, type WatchState } from '../../../domain/zones/watch-state.ts';

/** RULE: rules. ZONE: entries, exits and crossings. TRACK: starts, class changes and ends of tracks. */
export const EVENT_KINDS = ['RULE', 'ZONE', 'TRACK'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export interface MqttReceiver {
  /** Address with mqtt or mqtts, and with user and password if the client gave them. */
  readonly url: string;
  /** Prefix of all topics of the stream. */
  readonly topic: string;
  /** Prefix of topics of Home Assistant discovery. Undefined if nothing is announced. */
  readonly discoveryPrefix?: string;
}

export interface EventReceivers {
  /** Kinds of events that are stored and sent. */
  readonly kinds: readonly EventKind[];
  readonly callbackUri?: string;
  readonly mqtt?: MqttReceiver;
}

export interface StreamZones {
  readonly plan: ZonePlan;
  readonly receivers: EventReceivers;
}

/** A report of a component about events in zones. */
export interface ZonesMessage {
  readonly seq: number;
  readonly events: readonly WatchedEvent[];
  readonly watch: WatchState;
}

export interface ZonesState {
  /** Number of the last message of components. */
  readonly seq: number;
  /** State from which the next component continues. */
  readonly watch: WatchState;
  /** Number of events that were stored so far. The newest of them still exist. */
  readonly kept: { readonly rules: number; readonly others: number };
  /** The last hours that had events, by their start in milliseconds since the epoch. */
  readonly hours: Readonly<Record<string, ZoneCounts>>;
  /** Notices in the outbox and their versions. */
  readonly pending: Readonly<Record<string, number>>;
  /** Number of notices that were given up. */
  readonly dropped: number;
  /** Reason why the last notice did not arrive; null if it arrived. */
  readonly trouble: string | null;
}

export const NO_ZONES: ZonesState = {
  seq: 0,
  watch: NOTHING_SEEN,
  kept: { rules: 0, others: 0 },
  hours: {},
  pending: {},
  dropped: 0,
  trouble: null,
};
