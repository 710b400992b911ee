/** Results of a job: its document, and the posts to its archive. */
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { z } from 'zod';
import type { ArchiveChecks } from '../../../actors/batch-job/completion/archive-checks.ts';
import type { ArchivedDocument } from '../../../actors/job-files/job-document.ts';
import type { JobViews } from '../../../actors/views/jobs/jobs.ts';
import type { ExportFormat } from '../../../domain/job/export-formats.ts';
import { HttpError } from '../../routing/errors.ts';
import type { archiveRepostResponse } from '../../schemas/jobs/batch-jobs.ts';
import type { JobGuard } from '../../users/job-step.ts';
import { leftBy } from '../../steps/client.ts';

interface OpenedDocument {
  readonly stream: Readable;
  readonly bytes: number | undefined;
}

export interface WantedExport {
  readonly format: ExportFormat;
  readonly mediaId?: number;
  readonly pictures?: boolean;
}

/** A document on this server, with the number of its job. */
export interface ExportedDocument {
  readonly file: string;
  readonly job: number;
}

export type OpenedExport =
  | { readonly kind: 'opened'; readonly stream: Readable }
  | { readonly kind: 'full'; readonly most: number }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'left' };

export interface ResultDeps {
  readonly archiveChecks: ArchiveChecks;
  readonly views: JobViews;
  /** Opens a document of this service, with the current names of its files. Returns undefined if there is none. */
  openDocument(file: string): Promise<OpenedDocument | undefined>;
  /** Opens another format of documents of this service, unless the client disconnects first. */
  openExport(
    documents: readonly ExportedDocument[],
    wanted: WantedExport,
    left: AbortSignal,
  ): Promise<OpenedExport>;
  /** Opens the document of a job of another service. Rejects with a text that ends a sentence. */
  openArchived(document: ArchivedDocument): Promise<OpenedDocument>;
}

/** Returns the document from the disk with the current names of its files, or from the archive. */
export async function documentOf(
  id: number,
  { views, openDocument, openArchived }: ResultDeps,
): Promise<OpenedDocument | undefined> {
  const file = await views.document(id);
  if (file === undefined) {
    const archived = await views.archivedDocument(id);
    return archived === undefined ? undefined : openedArchived(archived, openArchived);
  }
  const document = await openDocument(file);
  if (document === undefined)
    throw new HttpError('document-lost', 'The detection document of this job is missing on the server.');
  return document;
}

/** Returns the unchanged document of another service's job, which an archive listed. */
async function openedArchived(document: ArchivedDocument, open: ResultDeps['openArchived']) {
  try {
    return await open(document);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpError(
      'archived-document-unavailable',
      `The results of this job are those of an earlier one, whose document could not be fetched: ${reason}.`,
    );
  }
}

const REFUSALS = {
  HIDDEN: (number: number) => `Could not find job with id ${number}.`,
  FOREIGN: (number: number) => `Job ${number} belongs to another user.`,
} as const;

/** Posts the results of these jobs to their archives again, one job after the other. */
export async function repost(
  jobs: readonly number[],
  ctx: Context,
  { archiveChecks, jobAccess }: ResultDeps & JobGuard,
): Promise<z.infer<typeof archiveRepostResponse>> {
  const success: number[] = [];
  const failures: { jobId: number; error: string }[] = [];
  const gone = leftBy(ctx.res);
  for (const jobId of [...new Set(jobs)].sort((a, b) => a - b)) {
    // The client has disconnected. The remaining posts could take long.
    if (ctx.res.destroyed) break;
    const verdict = await jobAccess.judge(ctx, 'BATCH_JOB', jobId, 'CHANGE');
    const error = verdict === 'GRANTED' ? await archiveChecks.repost(jobId, gone) : REFUSALS[verdict](jobId);
    if (error === undefined) success.push(jobId);
    else failures.push({ jobId, error });
  }
  return { success, failures };
}
