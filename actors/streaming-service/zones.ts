/** Zones, rules and receivers of events in a request for a streaming job. */
import { maskUri } from '../../domain/job/censor.ts';
import { refusedCallbackUrl } from '../../domain/job/callback.ts';
import { foundClasses, type FindingAction } from '../../domain/plan/found-classes.ts';
import { refusedZones } from '../../domain/zones/checks.ts';
import type { ZonePlan } from '../../domain/zones/types.ts';
import type { EventKind, EventReceivers, StreamZones } from '../streaming-job/zones/record.ts';

export interface RequestedZones {
  readonly plan: ZonePlan;
  /** If undefined, events are stored, and sent to watchers. */
  readonly receivers?: RequestedReceivers | undefined;
}

export interface RequestedReceivers {
  readonly kinds?: readonly EventKind[] | null | undefined;
  readonly callbackUri?: string | null | undefined;
  readonly mqtt?:
    | {
        readonly url: string;
        readonly topic?: string | null | undefined;
        readonly discoveryPrefix?: string | null | undefined;
      }
    | null
    | undefined;
}

const USUAL_KINDS: readonly EventKind[] = ['RULE', 'ZONE'];
const USUAL_PREFIX = 'homeassistant';
/** Topics that can be published to: no wildcards, no empty level. */
const TOPIC = /^[^+#\0/]+(?:\/[^+#\0/]+)*$/;

export function checkedZones(
  { plan, receivers }: RequestedZones,
  actions: readonly FindingAction[],
): { readonly ok: StreamZones } | { readonly refused: string } {
  const refused = refusedZones(plan, foundClasses(actions));
  if (refused !== undefined) return { refused };
  const wrong = refusedReceivers(receivers ?? {});
  return wrong === undefined ? { ok: { plan, receivers: receiversOf(receivers ?? {}) } } : { refused: wrong };
}

function refusedReceivers({ callbackUri, mqtt }: RequestedReceivers): string | undefined {
  const given = callbackUri?.trim() ?? '';
  const callback = given === '' ? undefined : refusedCallbackUrl(given);
  if (callback !== undefined) return callback.replace('callbackURL', 'events.callbackUri');
  if (mqtt === null || mqtt === undefined) return undefined;
  const { protocol, hostname } = URL.canParse(mqtt.url) ? new URL(mqtt.url) : { protocol: '', hostname: '' };
  if (!/^mqtts?:$/.test(protocol) || hostname === '')
    return `The broker ${maskUri(mqtt.url)} is not supported. Use an address such as mqtt://broker.example:1883 or mqtts://broker.example:8883.`;
  for (const topic of [mqtt.topic, mqtt.discoveryPrefix])
    if (topic !== null && topic !== undefined && topic !== '' && !TOPIC.test(topic))
      return `The topic "${topic}" is not allowed. Use names with "/" between them, without "+" and "#".`;
  return undefined;
}

function receiversOf({ kinds, callbackUri, mqtt }: RequestedReceivers): EventReceivers {
  const uri = callbackUri?.trim() ?? '';
  return {
    kinds: kinds ?? USUAL_KINDS,
    ...(uri === '' ? {} : { callbackUri: uri }),
    ...(mqtt === null || mqtt === undefined ? {} : { mqtt: mqttOf(mqtt) }),
  };
}

function mqttOf({ url, topic, discoveryPrefix }: NonNullable<RequestedReceivers['mqtt']>) {
  const prefix = discoveryPrefix ?? USUAL_PREFIX;
  const own = topic ?? '';
  return { url, topic: own, ...(prefix === '' ? {} : { discoveryPrefix: prefix }) };
}

/** Sets the topic of a job that names none. It contains the number of the job. */
export function withTopic(zones: StreamZones, number: number): StreamZones {
  const { mqtt } = zones.receivers;
  if (mqtt === undefined || mqtt.topic !== '') return zones;
  return { ...zones, receivers: { ...zones.receivers, mqtt: { ...mqtt, topic: `troupe/${number}` } } };
}
