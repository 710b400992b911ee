/** Messages for a broker: the events of a stream, the newest state of its zones, and the configuration for Home Assistant. */
import type { MqttMessage } from '../../../protocol/mqtt-message.ts';
import type { ZoneEventInfo } from './event-info.ts';
import type { MqttReceiver, StreamZones } from './record.ts';

/** A message with the name under which it replaces older ones. */
export interface NamedMessage {
  readonly name: string;
  readonly message: MqttMessage;
}

type OfStream = Pick<StreamZones, 'plan'> & { readonly mqtt: MqttReceiver; readonly number: number };

const json = (topic: string, payload: object, retain = false): MqttMessage => ({
  topic,
  payload: JSON.stringify(payload),
  retain,
});

const newestText = (topic: string, payload: string): MqttMessage => ({ topic, payload, retain: true });

/** Returns a message whose topic is that of a rule or zone. Names of rules and zones contain no characters with a meaning in topics. */
export function eventMessage({ mqtt }: Pick<OfStream, 'mqtt'>, info: ZoneEventInfo): MqttMessage {
  const { crop: _, cropFrame, cropAt, ...event } = info;
  const isRule = info.event === 'rule';
  const picture = isRule && cropAt !== undefined ? { cropFrame, cropAt } : {};
  return json(`${mqtt.topic}/${placeOf(info)}`, {
    event_type: isRule ? 'detected' : info.event,
    ...event,
    ...picture,
  });
}

/** Returns the newest picture of a rule, which subscribers see until the stream ends. Undefined for other events. */
export function cropMessage(
  { mqtt }: Pick<OfStream, 'mqtt'>,
  { rule, crop }: ZoneEventInfo & { readonly rule?: string },
): NamedMessage | undefined {
  if (rule === undefined || crop === undefined) return undefined;
  const message = { topic: cropTopic(mqtt, rule), base64: crop.slice(crop.indexOf(',') + 1), retain: true };
  return { name: cropName(rule), message };
}

/** Returns the message that removes the picture of a rule from the broker. */
export const noCropMessage = ({ mqtt }: Pick<OfStream, 'mqtt'>, rule: string): NamedMessage => ({
  name: cropName(rule),
  message: newestText(cropTopic(mqtt, rule), ''),
});

const cropName = (rule: string): string => `rule/${rule}/crop`;
const cropTopic = ({ topic }: Pick<MqttReceiver, 'topic'>, rule: string): string =>
  `${topic}/rule/${rule}/crop`;

function placeOf(info: ZoneEventInfo): string {
  const { rule, zone, line } = info as { rule?: string; zone?: string; line?: string };
  if (rule !== undefined) return `rule/${rule}`;
  if (line !== undefined) return `line/${line}`;
  return zone === undefined ? `track/${info.event}` : `zone/${zone}/${info.event}`;
}

export const occupancyMessage = (
  { mqtt }: Pick<OfStream, 'mqtt'>,
  zone: string,
  occupancy: number,
  at: number,
): NamedMessage => ({
  name: `zone/${zone}`,
  message: json(`${mqtt.topic}/zone/${zone}`, { occupancy, at }, true),
});

/** States of a stream. */
export const ONLINE = 'online';
export const OFFLINE = 'offline';
export const statusTopic = ({ topic }: Pick<MqttReceiver, 'topic'>): string => `${topic}/status`;

/** Returns the message whether the stream is being analyzed. If it is not, Home Assistant shows its entities as unavailable. */
export const statusMessage = ({ mqtt }: Pick<OfStream, 'mqtt'>, isOnline: boolean): NamedMessage => ({
  name: 'status',
  message: newestText(statusTopic(mqtt), isOnline ? ONLINE : OFFLINE),
});

interface Entity {
  readonly component: 'sensor' | 'event' | 'image';
  readonly id: string;
  readonly config: object;
}

/** Announces zones and rules to Home Assistant, or removes them. */
export function discoveryMessages(stream: OfStream, isThere: boolean): readonly NamedMessage[] {
  const { discoveryPrefix: prefix, topic } = stream.mqtt;
  if (prefix === undefined) return [];
  const node = slugOf(topic);
  return entitiesOf(stream).map(({ component, id, config }) => {
    const name = `${prefix}/${component}/${node}/${id}/config`;
    return {
      name,
      message: newestText(name, isThere ? JSON.stringify({ ...common(stream, id), ...config }) : ''),
    };
  });
}

function entitiesOf({ plan, mqtt: { topic } }: OfStream): readonly Entity[] {
  const zones = plan.zones.map(({ name }, index): Entity => ({
    component: 'sensor',
    id: `zone_${index}_${slugOf(name)}`,
    config: {
      name: `${name} occupancy`,
      state_topic: `${topic}/zone/${name}`,
      value_template: '{{ value_json.occupancy }}',
      state_class: 'measurement',
    },
  }));
  const rules = plan.rules.flatMap(({ name }, index): Entity[] => [
    {
      component: 'event',
      id: `rule_${index}_${slugOf(name)}`,
      config: { name, state_topic: `${topic}/rule/${name}`, event_types: ['detected'] },
    },
    {
      component: 'image',
      id: `crop_${index}_${slugOf(name)}`,
      config: { name: `${name} crop`, image_topic: cropTopic({ topic }, name), content_type: 'image/jpeg' },
    },
  ]);
  return [...zones, ...rules];
}

function common({ mqtt: { topic }, number }: OfStream, id: string) {
  const node = slugOf(topic);
  return {
    unique_id: `${node}_${id}`,
    availability_topic: `${topic}/status`,
    device: { identifiers: [node], name: topic, manufacturer: 'Troupe', model: `Streaming job ${number}` },
  };
}

/** Replaces all characters except those that Home Assistant accepts in its own topics. */
const slugOf = (name: string): string => name.replaceAll(/[^a-zA-Z0-9]/g, '_');
