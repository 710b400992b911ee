/** What a job has found, in the form that is asked for. */
import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { z } from 'zod';
import { EXPORT_FORMATS, exportFileName, type DocumentFormat } from '../../../domain/job/export-formats.ts';
import { ok, withoutBody } from '../../routing/declaration.ts';
import { HttpError, overloadError } from '../../routing/errors.ts';
import { leftBy } from '../../steps/client.ts';
import { documentOf, type ResultDeps, type WantedExport } from './job-results.ts';

const text = z.string();
/** The content types of the answers besides JSON, with what they are. */
export const EXPORT_TYPES: Readonly<Record<string, z.ZodType>> = {
  'application/x-ndjson': text,
  'text/csv': text,
  'application/xml': text,
  'text/vtt': text,
  'application/x-subrip': text,
};

/** Whoever names one of these in the Accept header, and does not take JSON before it, means it; XML is named by every browser. */
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
}

export async function foundIn(
  id: number,
  { format, media }: WantedForm,
  answer: ServerResponse,
  deps: ResultDeps,
) {
  if (format !== 'json')
    return exportDocument(id, { format, ...(media === undefined ? {} : { mediaId: media }) }, answer, deps);
  if (media !== undefined)
    throw refuseExport('The document itself comes whole: media needs another format than json.');
  const document = await documentOf(id, deps);
  if (document === undefined) return withoutBody(400);
  return { ...ok(document.stream), length: document.bytes };
}

const refuseExport = (message: string) => new HttpError('export-unavailable', message);

async function exportDocument(
  id: number,
  wanted: WantedExport,
  answer: ServerResponse,
  { views, openExport }: ResultDeps,
) {
  const file = await views.document(id);
  if (file === undefined) {
    if ((await views.archivedDocument(id)) === undefined) return withoutBody(400);
    throw refuseExport(ELSEWHERE);
  }
  const outcome = await openExport(file, wanted, leftBy(answer));
  if (outcome.kind === 'refused') throw refuseExport(outcome.message);
  if (outcome.kind === 'left') throw refuseExport('The client left before the export began.');
  if (outcome.kind === 'full')
    throw overloadError(
      `${outcome.most} exports are being made already, which is the limit; try again later.`,
    );
  const { format, mediaId } = wanted;
  const name = exportFileName((await views.jobId(id)) ?? String(id), format, mediaId);
  const headers = { 'Content-Disposition': `attachment; filename="${name}"` };
  return { ...ok(outcome.stream), type: EXPORT_FORMATS[format].type, headers };
}

const ELSEWHERE =
  'The results of this job are those of an earlier job in the archive. They are available as json only.';
