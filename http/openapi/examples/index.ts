/** Examples of bodies by component name. Each field of the OpenAPI document gets its part of them. */
import { DOCUMENTS } from './documents.ts';
import { JOBS } from './jobs.ts';
import { OPERATION } from './operation.ts';
import { SEARCH } from './search.ts';
import { STREAMS } from './streams.ts';
import { WORKER_EXAMPLES } from './worker.ts';

export { PARAMETER_EXAMPLES } from './parameters.ts';

export const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  ...JOBS,
  ...DOCUMENTS,
  ...SEARCH,
  ...STREAMS,
  ...OPERATION,
  ...WORKER_EXAMPLES,
};
