/** The results of a job in the requested format. */
import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import { z } from 'zod';
import { EXPORT_FORMATS, exportFileName, type DocumentFormat } from '../../../domain/job/export-formats.ts';
import { ok, withoutBody } from '../../routing/declaration.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { leftBy } from '../../steps/client.ts';
import { documentOf, type OpenedExport, type ResultDeps, type WantedExport } from './job-results.ts';

const text = z.string();
/** Content types of the answers other than JSON, with their schemas. */
export const EXPORT_TYPES: Readonly<Record<string, z.ZodType>> = {
  'application/x-ndjson': text,
  'text/csv': text,
  'application/xml': text,
  'text/vtt': text,
  'application/x-subrip': text,
  'text/html': text,
  'application/vnd.apache.parquet': text,
  'application/zip': text,
};

/** Formats that a client can choose by the Accept header. XML is missing, because every browser accepts it. */
const BY_TYPE: Readonly<Record<string, DocumentFormat>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'text/vtt': 'vtt',
  'application/x-subrip': 'srt',
};

export function acceptedFormat(ctx: Context): DocumentFormat {
  const type = ctx.accepts(Object.keys(BY_TYPE));
  return (typeof type === 'string' ? BY_TYPE[type] : undefined) ?? 'json';
}

interface WantedForm {
  readonly format: DocumentFormat;
  readonly media?: number | undefined;
  readonly pictures?: boolean | undefined;
}

export async function foundIn(
  id: number,
  { format, media, pictures }: WantedForm,
  answer: ServerResponse,
  deps: ResultDeps,
) {
  if (format !== 'json') {
    const wanted = {
      format,
      ...(media === undefined ? {} : { mediaId: media }),
      ...(pictures === undefined ? {} : { pictures }),
    };
    return exportDocument(id, wanted, answer, deps);
  }
  if (media !== undefined)
    throw refuseExport('The format json always has all media. Use the parameter media with another format.');
  const document = await documentOf(id, deps);
  if (document === undefined) return withoutBody(400);
  return { ...ok(document.stream), length: document.bytes };
}

export const refuseExport = (message: string) => new HttpError('export-unavailable', message);

async function exportDocument(
  id: number,
  wanted: WantedExport,
  answer: ServerResponse,
  { views, openExport }: ResultDeps,
) {
  const file = await views.document(id);
  if (file === undefined) {
    const job = await views.single(id);
    if (job?.terminal === false)
      throw new HttpError(
        'job-not-finished',
        `Job ${job.jobId} is in progress (${job.jobStatus}). Export it when it has ended.`,
      );
    if ((await views.archivedDocument(id)) === undefined) return withoutBody(400);
    throw refuseExport(ELSEWHERE);
  }
  const stream = openedStream(await openExport([{ file, job: id }], wanted, leftBy(answer)));
  const { format, mediaId } = wanted;
  const name = exportFileName((await views.jobId(id)) ?? String(id), format, mediaId);
  const headers = { 'Content-Disposition': `attachment; filename="${name}"` };
  return { ...ok(stream), type: EXPORT_FORMATS[format].type, headers };
}

/** Returns the stream of an export. @throws HttpError if the export could not be opened */
export function openedStream(outcome: OpenedExport): Readable {
  switch (outcome.kind) {
    case 'opened':
      return outcome.stream;
    case 'refused':
      throw refuseExport(outcome.message);
    case 'left':
      throw refuseExport('The client left before the export began.');
    case 'full':
      throw overloadError(`${outcome.most} exports are running, which is the limit. Try again later.`);
  }
}

const ELSEWHERE =
  'The results of this job are those of an earlier job in the archive. They are available as json only.';
