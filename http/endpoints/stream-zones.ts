import { z } from 'zod';
import type { Streams } from '../../actors/guardian/register-streams.ts';
import type { CountedHour } from '../../actors/views/stream-zones.ts';
import { csvCell } from '../../domain/text/csv-cell.ts';
import { json, ok, withoutBody, nothing } from '../routing/declaration.ts';
import { wholeNumber } from '../schemas/common.ts';
import {
  hourlyCounts,
  hourlyCountsQuery,
  streamEventList,
  streamEventsQuery,
} from '../schemas/streaming/stream-zones.ts';
import { endpoint } from '../steps/endpoint.ts';

export interface StreamZoneDeps {
  readonly streams: Streams;
}

const COMMON = { tag: 'Streaming jobs', caller: 'USER', jobs: 'STREAMING_JOB' } as const;
const params = z.object({ id: wholeNumber(1).meta({ description: 'The streaming job', examples: [14] }) });
const NO_SUCH_JOB = nothing('There is no such job.');
const noJob = () => withoutBody(400);
const noBody = () => null;
const USUAL = 100;

/** Events and counts in the zones of streaming jobs (not in the specification). */
export const streamZoneEndpoints = [
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/streaming/jobs/{id}/zone-events',
    id: 'listZoneEvents',
    summary: 'List the newest events of zones and rules of a stream',
    params,
    query: streamEventsQuery,
    answers: { 200: json('The events.', streamEventList, { events: [] }), 400: NO_SUCH_JOB },
    refusal: noBody,
    absent: noJob,
    async handle({ params: { id }, query: { kind, limit = USUAL } }, { streams }: StreamZoneDeps) {
      const events = await streams.zoneViews.events(id, kind, limit);
      return events === undefined ? noJob() : ok({ events });
    },
  }),
  endpoint({
    ...COMMON,
    method: 'get',
    path: '/rest/streaming/jobs/{id}/counts',
    id: 'getStreamCounts',
    summary: 'Count tracks, entries, crossings and events of rules by hour',
    description:
      'For streams with zones, lines, rules or events. `Accept: text/csv` or `format=csv` returns a table.',
    params,
    query: hourlyCountsQuery,
    answers: {
      200: { ...json('The counts.', hourlyCounts, { hours: [] }), others: { 'text/csv': z.string() } },
      400: NO_SUCH_JOB,
    },
    refusal: noBody,
    absent: noJob,
    async handle({ params: { id }, query: { start, format }, ctx }, { streams }: StreamZoneDeps) {
      const from = start === undefined ? undefined : Date.parse(start);
      const hours = await streams.zoneViews.hours(id, from);
      if (hours === undefined) return noJob();
      const headers = { Vary: 'Accept' };
      if ((format ?? ctx.accepts('json', 'csv')) !== 'csv') return { ...ok({ hours }), headers };
      const name = { 'Content-Disposition': `attachment; filename="counts-${id}.csv"` };
      const type = 'text/csv; charset=utf-8; header=present';
      return { ...ok(Buffer.from(csvOf(hours))), type, headers: { ...headers, ...name } };
    },
  }),
];

/** Converts counts to CSV, one line for each count: hour, kind, name, count. */
function csvOf(hours: readonly CountedHour[]): string {
  const lines = hours.flatMap(({ start, classes, zones, lines: crossed, rules }) => [
    ...Object.entries(classes).map(([name, count]) => [start, 'tracks', name, count]),
    ...Object.entries(zones).flatMap(([name, { entered, left }]) => [
      [start, 'entered', name, entered],
      [start, 'left', name, left],
    ]),
    ...Object.entries(crossed).flatMap(([name, { toRight, toLeft }]) => [
      [start, 'crossed to the right', name, toRight],
      [start, 'crossed to the left', name, toLeft],
    ]),
    ...Object.entries(rules).map(([name, count]) => [start, 'rule', name, count]),
  ]);
  const rows = [['hour', 'what', 'name', 'count'], ...lines];
  return rows.map((cells) => `${cells.map((cell) => csvCell(String(cell))).join(',')}\r\n`).join('');
}
