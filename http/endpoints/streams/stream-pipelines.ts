import { z } from 'zod';
import { TimeSlices } from '../../../actors/basics/time-slices.ts';
import type { Pipeline } from '../../../domain/types.ts';
import { json, ok } from '../../routing/declaration.ts';
import { pipeline } from '../../schemas/pipelines.ts';
import { endpoint } from '../../steps/endpoint.ts';
import type { CatalogDeps } from '../components.ts';
import type { StreamingJobDeps } from '../streaming-jobs.ts';

/** Pipelines that streaming jobs can use (not in the specification). */
export const streamPipelineEndpoints = [
  endpoint({
    tag: 'Streaming jobs',
    caller: 'USER',
    method: 'get',
    path: '/rest/streaming/pipelines',
    id: 'listStreamPipelines',
    jobs: 'NONE',
    summary: 'List the pipelines that streaming jobs can use without properties',
    description: 'A pipeline is missing if its algorithms do not support streams, or if it needs a model.',
    answers: { 200: json('By name.', z.array(pipeline)) },
    async handle(_, { catalog, streams }: CatalogDeps & StreamingJobDeps) {
      const found: Pipeline[] = [];
      const timeSlices = new TimeSlices();
      for (const one of catalog.pipelines()) {
        if (timeSlices.due) await timeSlices.next();
        if (await streams.service.canWatch(one.name)) found.push(one);
      }
      return ok(found);
    },
  }),
];
