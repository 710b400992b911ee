import { z } from 'zod';
import type { Operation } from '../openapi/operation.ts';

/** The route of `http/metrics.ts`. */
export const metricsOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    tag: 'Service',
    caller: 'METRICS',
    summary: 'Tell how the server stands, for Prometheus',
    answers: {
      200: {
        description: 'ServiceMetrics in the text format of Prometheus.',
        content: { schema: z.string(), type: 'text/plain' },
      },
    },
  },
];
