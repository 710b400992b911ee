/** Events in the zones of a job, and runs of other zones on its results (not in the specification). */
import { refusedZones } from '../../domain/zones/checks.ts';
import { reportedRun } from '../../domain/zones/dry-run.ts';
import { json, ok } from '../routing/declaration.ts';
import { HttpError } from '../routing/errors.ts';
import { mediumZoneRun, zoneRun, zoneRunRequest } from '../schemas/jobs/zone-runs.ts';
import { zonePlan } from '../schemas/jobs/zones.ts';
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
    path: '/rest/jobs/{id}/media/{mediaId}/zone-events',
    id: 'listZoneEventsOfMedium',
    summary: 'List the events in the zones of a job',
    description:
      'The `zoneRun` of the medium in the detection document: what happened in the zones, at the lines and by the rules of the job.',
    params: mediumParams,
    answers: { 200: json('Events and counts.', mediumZoneRun), ...WRONG },
    async handle({ params: { id, mediaId } }, deps: FoundDeps) {
      const run = await askQuestion(id, { kind: 'zoneRun', medium: mediaId }, deps);
      if ('unavailable' in run) throw new HttpError('export-unavailable', NO_RUN);
      return ok(run);
    },
  }),
  endpoint({
    ...OF_DOCUMENT,
    method: 'post',
    path: '/rest/jobs/{id}/media/{mediaId}/zone-runs',
    id: 'runZonesOnMedium',
    isReading: true,
    summary: 'Try zones, lines and rules on the tracks of a medium',
    description: `Returns the events and counts that a stream with these zones and rules would have. Nothing is stored. ${READ_ONCE}`,
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
      const { startsAt } = body;
      const plan = zonePlan(body);
      const refused = refusedZones(plan);
      if (refused !== undefined) throw new HttpError('invalid-parameter', refused);
      const from = startsAt === undefined ? undefined : Date.parse(startsAt);
      const run = await askQuestion(id, { kind: 'zones', medium: mediaId, plan, startsAt: from }, deps);
      if ('unavailable' in run) throw new HttpError('export-unavailable', NO_PICTURE);
      return ok(reportedRun(run));
    },
  }),
];

const NO_RUN =
  'The job has no zones, lines or rules, or it has not ended, or the medium has no pictures. POST zone-runs tries zones.';
const NO_PICTURE = 'The medium has no pictures, or nothing was found in it yet.';
