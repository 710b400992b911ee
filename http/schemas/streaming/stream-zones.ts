import { z } from 'zod';
import { EVENT_KINDS } from '../../../actors/streaming-job/zones/record.ts';
import { ANCHORS } from '../../../domain/zones/types.ts';
import { orEmpty, queryTimestamp, wholeNumber } from '../common.ts';
import { zoneCounts } from '../jobs/zone-runs.ts';
import { line, rule, zone, zoneEvent } from '../jobs/zones.ts';

const mqtt = z
  .object({
    url: z.string().max(2_000).describe('Broker, such as mqtts://user:password@host:8883'),
    topic: z.string().max(200).nullish().describe('Start of all topics; troupe/{jobId} when absent'),
    discoveryPrefix: z
      .string()
      .max(100)
      .nullish()
      .describe('Topic of Home Assistant discovery; "" for none; homeassistant when absent'),
  })
  .meta({ id: 'MqttReceiver' });

export const eventReceivers = z
  .object({
    kinds: z
      .array(z.enum(EVENT_KINDS))
      .max(EVENT_KINDS.length)
      .nullish()
      .describe(
        'RULE: events of rules. ZONE: entries, exits, crossings. TRACK: begin, change of class, end. RULE and ZONE when absent',
      ),
    callbackUri: z.string().max(2_000).nullish().describe('Gets a signed POST for each event'),
    mqtt: mqtt.nullish().describe('Gets each event, and the newest state of each zone'),
  })
  .meta({ id: 'EventReceivers' });

export const streamZones = z.object({
  zones: z.array(zone).describe('Zones of the job'),
  lines: z.array(line).describe('Lines of the job'),
  rules: z.array(rule).describe('Rules of the job'),
  anchor: z.enum(ANCHORS).optional().describe('The point of a box that counts; absent: BOTTOM'),
  occupancy: z.record(z.string(), z.int()).describe('Tracks in each zone now'),
  pending: z.int().describe('Webhooks and messages that are not delivered yet'),
  dropped: z.int().describe('Webhooks and messages that were dropped'),
  trouble: z.string().nullable().describe('Why the last delivery failed; null: it arrived'),
  ignored: z.int().describe('Detections dropped because there were too many tracks'),
});

export const streamEventsQuery = z.object({
  kind: orEmpty(z.enum(['RULE', 'OTHER'])).describe('RULE: events of rules only; OTHER: all others'),
  limit: orEmpty(wholeNumber(1, 500)).meta({
    description: 'Number of newest events; default: 100',
    examples: [50],
  }),
});
export const streamEventList = z
  .object({
    events: z.array(zoneEvent).describe('The newest first; the newest 400 to 500 of each kind are kept'),
  })
  .meta({ id: 'StreamEventList' });

export const hourlyCountsQuery = z.object({
  start: queryTimestamp.optional().describe('Only hours that end after it'),
  format: orEmpty(z.enum(['json', 'csv'])).describe('Form of the answer; absent: as `Accept` says'),
});
export const hourlyCounts = z
  .object({
    hours: z
      .array(
        z.object({
          start: z.string().describe('Start of the hour: ISO 8601, UTC'),
          ...zoneCounts,
        }),
      )
      .describe('Hours with events of the last 31 days, the oldest first'),
  })
  .meta({ id: 'HourlyCounts' });
