/** Counts of the tracks in a medium, by time and by place (not in the specification). */
import { z } from 'zod';
import { csvCell } from '../../../domain/text/csv-cell.ts';
import { MOST_INTERVALS, type TrackCounts } from '../../../domain/tracks/track-counts.ts';
import { json, ok } from '../../routing/declaration.ts';
import { HttpError } from '../../routing/errors.ts';
import { countsQuery, heatMap, heatQuery, trackCounts } from '../../schemas/jobs/job-counts.ts';
import { endpoint } from '../../steps/endpoint.ts';
import { askQuestion, mediumParams, OF_DOCUMENT, READ_ONCE, WRONG, type FoundDeps } from './job-findings.ts';

export const countEndpoints = [
  endpoint({
    ...OF_DOCUMENT,
    path: '/rest/jobs/{id}/media/{mediaId}/counts',
    id: 'countTracksOfMedium',
    summary: 'Count tracks by time, type and class',
    description: `With \`format=csv\`, a line for each interval and series that is not empty. ${READ_ONCE}`,
    params: mediumParams,
    query: countsQuery,
    answers: {
      200: { ...json('The counts.', trackCounts), others: { 'text/csv': z.string() } },
      ...WRONG,
    },
    async handle({ params: { id, mediaId }, query: { interval, format } }, deps: FoundDeps) {
      const question = { kind: 'counts', medium: mediaId, intervalMs: interval } as const;
      const counts = await askQuestion(id, question, deps);
      if ('unavailable' in counts) throw tooShort(interval);
      if (format !== 'csv') return ok(counts);
      const headers = { 'Content-Disposition': `attachment; filename="counts-${id}-${mediaId}.csv"` };
      return { ...ok(Buffer.from(csvOf(counts))), type: 'text/csv; charset=utf-8; header=present', headers };
    },
  }),
  endpoint({
    ...OF_DOCUMENT,
    path: '/rest/jobs/{id}/media/{mediaId}/heat-map',
    id: 'getHeatMapOfMedium',
    summary: 'Count boxes by place in the picture',
    description: READ_ONCE,
    params: mediumParams,
    query: heatQuery,
    answers: { 200: json('The heat map.', heatMap), ...WRONG },
    async handle({ params: { id, mediaId }, query }, deps: FoundDeps) {
      const map = await askQuestion(id, { kind: 'heat', medium: mediaId, ...query, lane: query.lane }, deps);
      if ('unavailable' in map) throw new HttpError('export-unavailable', NO_PICTURE);
      return ok(map);
    },
  }),
];

const NO_PICTURE = 'The medium has no pictures, or nothing was found in it yet.';

const tooShort = (interval: number | undefined) =>
  new HttpError(
    'invalid-parameter',
    `interval=${interval} makes more than ${MOST_INTERVALS} intervals of this medium. Use a longer interval.`,
  );

const COLUMNS = ['start_ms', 'stop_ms', 'type', 'class', 'begins', 'present'];

/** Converts counts to CSV. Omits intervals in which a series has no track. */
function csvOf({ intervalMs, series }: TrackCounts): string {
  const lines = series.flatMap(({ type, class: name, begins, present }) =>
    present.flatMap((count, n) =>
      count === 0
        ? []
        : [
            [
              ...[n * intervalMs, (n + 1) * intervalMs, csvCell(type), csvCell(name ?? '')],
              ...[begins[n], count],
            ].join(','),
          ],
    ),
  );
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}
