/** Zones and rules on what a job has found: nothing is stored (ours). */
import { refusedZones } from '../../domain/zones/checks.ts';
import type { RuleEvent } from '../../domain/zones/types.ts';
import { json, ok } from '../routing/declaration.ts';
import { HttpError } from '../routing/errors.ts';
import { zoneRun, zoneRunRequest } from '../schemas/jobs/zone-runs.ts';
import { endpoint } from '../steps/endpoint.ts';
import {
  askQuestion,
  mediumParams,
  OF_DOCUMENT,
  READ_ONCE,
  WRONG,
  type FoundDeps,
} from './jobs/job-findings.ts';

export const zoneRunEndpoints = [
  endpoint({
    ...OF_DOCUMENT,
    method: 'post',
    path: '/rest/jobs/{id}/media/{mediaId}/zone-runs',
    id: 'runZonesOnMedium',
    isReading: true,
    summary: 'Try zones, lines and rules on the tracks of a medium',
    description: `Answers the events and counts that a stream with these zones and rules would have. Nothing is stored. ${READ_ONCE}`,
    params: mediumParams,
    body: {
      schema: zoneRunRequest,
      noun: 'zones and rules',
      example: {
        zones: [{ name: 'yard', points: [[0.1, 0.4], [0.9, 0.4], [0.9, 1]] }], // oxfmt-ignore
        rules: [{ name: 'loiter', zone: 'yard', longerThan: 10 }],
      },
    },
    answers: { 200: json('Events and counts.', zoneRun), ...WRONG },
    async handle({ params: { id, mediaId }, body }, deps: FoundDeps) {
      const { zones, lines, rules, anchor, startsAt } = body;
      const plan = {
        ...{ zones: zones ?? [], lines: lines ?? [], rules: rules ?? [] },
        ...(anchor ? { anchor } : {}),
      };
      const refused = refusedZones(plan);
      if (refused !== undefined) throw new HttpError('invalid-parameter', refused);
      const from = startsAt === undefined ? undefined : Date.parse(startsAt);
      const run = await askQuestion(id, { kind: 'zones', medium: mediaId, plan, startsAt: from }, deps);
      if ('unavailable' in run) throw new HttpError('export-unavailable', NO_PICTURE);
      const { events, ...rest } = run;
      return ok({
        events: events.map(({ type, ...event }) => {
          const { event: kind, ...facts } = event as typeof event & { readonly event?: RuleEvent };
          return { event: type, ...facts, ...(kind === undefined ? {} : { kind }) };
        }),
        ...rest,
      });
    },
  }),
];

const NO_PICTURE = 'The medium has no pictures, or nothing was found in it yet.';
