import type { Context } from 'koa';
import { z } from 'zod';
import type { JobListQuery } from '../../../actors/views/jobs/job-list.ts';
import { EXPORT_FORMATS, joinedFileName } from '../../../domain/job/export-formats.ts';
import { jobNumber } from '../../../domain/job/job-id.ts';
import { json, ok, sentence } from '../../routing/declaration.ts';
import { notThere } from '../../routing/errors.ts';
import { cocoDocument } from '../../schemas/jobs/detection-document.ts';
import { joinedExportQuery, labelStudioTasks, MAX_EXPORTED_JOBS } from '../../schemas/jobs/exports.ts';
import { leftBy } from '../../steps/client.ts';
import { endpoint } from '../../steps/endpoint.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { EXPORT_TYPES, openedStream, refuseExport } from './job-exports.ts';
import { toFilter, type JobListDeps } from './job-list.ts';
import type { ExportedDocument, ResultDeps } from './job-results.ts';

type ExportDeps = Pick<ResultDeps, 'views' | 'openExport'> & Pick<JobListDeps, 'listJobs'> & JobGuard;

const PAGE = 500;

/** The results of many jobs in one file (not in the specification). */
export const joinedExportEndpoints = [
  endpoint({
    method: 'get',
    path: '/rest/exports',
    id: 'exportJobs',
    tag: 'Batch jobs',
    caller: 'USER',
    jobs: 'LIST',
    summary: 'Export the results of many jobs',
    description: `Exports the jobs of ids, or those that match the filters, newest first, at most ${MAX_EXPORTED_JOBS}. It leaves out jobs that have not ended or have no document here. The file is streamed.`,
    query: joinedExportQuery,
    answers: {
      200: {
        ...json('The results.', z.union([cocoDocument, labelStudioTasks])),
        others: EXPORT_TYPES,
        headers: { 'Exported-Jobs': 'How many jobs are in the file' },
      },
      400: sentence('A part of the query is wrong, or the jobs have nothing for this format.'),
      404: sentence('A job of ids does not exist.'),
    },
    says: { query: (problems) => `The query has errors in the following fields:\n${problems}` },
    async handle({ query: { format, pictures, ids, ...filter }, ctx }, deps: ExportDeps) {
      const numbers = ids === undefined ? findJobs(filter, ctx, deps) : checkJobs(ids, ctx, deps);
      const documents: ExportedDocument[] = [];
      for await (const job of numbers) {
        const file = await deps.views.document(job);
        if (file !== undefined) documents.push({ file, job });
      }
      if (documents.length === 0)
        throw refuseExport('No job of this selection has ended with a document on this server.');
      const wanted = { format, ...(pictures === undefined ? {} : { pictures }) };
      const stream = openedStream(await deps.openExport(documents, wanted, leftBy(ctx.res)));
      const headers = {
        'Content-Disposition': `attachment; filename="${joinedFileName(format)}"`,
        'Exported-Jobs': String(documents.length),
      };
      return { ...ok(stream), type: EXPORT_FORMATS[format].type, headers };
    },
  }),
];

type Filter = Parameters<typeof toFilter>[0];

/** Yields the jobs that match the filter and that the caller may see. */
async function* findJobs(
  filter: Filter,
  ctx: Context,
  { listJobs, jobAccess }: ExportDeps,
): AsyncGenerator<number> {
  let before: JobListQuery['before'];
  let count = 0;
  do {
    const query = { ...toFilter({ ...filter, terminal: filter.terminal ?? true }), limit: PAGE, before };
    const { jobs, next } = await listJobs({ ...query, sight: jobAccess.sight(ctx) });
    count += jobs.length;
    if (count > MAX_EXPORTED_JOBS)
      throw refuseExport(
        `More than ${MAX_EXPORTED_JOBS} jobs fit the filters. Narrow them, for example with endedFrom and endedTo.`,
      );
    for (const { jobId } of jobs) yield jobNumber(jobId)!;
    before = next ?? undefined;
  } while (before !== undefined);
}

/** Yields each job once. @throws HttpError for a job that does not exist, or that the caller must not see */
async function* checkJobs(
  ids: readonly string[],
  ctx: Context,
  { views, jobAccess }: ExportDeps,
): AsyncGenerator<number> {
  for (const number of new Set(ids.map((id) => jobNumber(id)!))) {
    const isSeen = (await jobAccess.judge(ctx, 'BATCH_JOB', number, 'SEE')) === 'GRANTED';
    if (!isSeen || (await views.jobId(number)) === undefined)
      throw notThere('job', String(number), '/rest/jobs');
    yield number;
  }
}
