/** `troupe jobs output` and `summary`: what a job has found. */
import type { JobInfo } from '../../../../client/answers.ts';
import type { Command } from 'commander';
import type { Readable } from 'node:stream';
import { DOCUMENT_FORMATS, exportFileName } from '../../../../domain/job/export-formats.ts';
import { Failure } from '../../../terminal/failure.ts';
import type { DocumentForm, RestClient } from '../../../../client/rest-client.ts';
import { overviewLines } from '../../../render/overview.ts';
import { saveDocument } from '../../../terminal/save-document.ts';
import { summarize } from '../../../render/summary.ts';
import { documentLines, jobLine } from '../../../render/tables.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { clientOf, command, type RestOptions } from '../command.ts';

interface OutputOptions extends RestOptions {
  /** true: a file that is named after the job. */
  readonly output?: string | true;
  readonly format?: string;
  readonly media?: string;
}

export function outputCommands(jobs: Command, terminal: Terminal): void {
  command(jobs, 'output <ID>', 'print the detection document of a job, or what it found in another format')
    .option('-o, --output [FILE]', 'write it to this file; without FILE to one named after the job')
    .option('--format <FORMAT>', `one of ${DOCUMENT_FORMATS.join(', ')}`)
    .option('--media <ID>', 'in another format: of this medium alone')
    .action(async (id: string, options: OutputOptions) => {
      const { format, media, output } = options;
      const client = await clientOf(options, terminal);
      const job = output === true ? await client.job(id) : undefined;
      const document = await documentOf(id, client, { format, media }, job);
      if (output === undefined) return terminal.pour(document);
      if (typeof output === 'string') return saveDocument(document, output);
      const file = exportFileName(job?.jobId ?? id, formatOf(format), media);
      await saveDocument(document, file);
      terminal.note(`Written to ${file}.`);
    });
  command(jobs, 'summary <ID>', 'show what a job has found as tables, like analyze').action(
    (id: string, options: RestOptions) => summary(id, options, terminal),
  );
}

/** The service has refused all others. */
const formatOf = (given: string | undefined) => DOCUMENT_FORMATS.find((format) => format === given) ?? 'json';

async function summary(id: string, options: RestOptions, terminal: Terminal): Promise<void> {
  const client = await clientOf(options, terminal);
  const job = await client.job(id);
  const document = await documentOf(id, client, {}, job);
  terminal.print(jobLine(job));
  const found = await summarize(document);
  for (const line of [...documentLines(found), ...overviewLines(found, terminal.width)]) terminal.print(line);
  terminal.print(`\nDocument: ${client.documentUrl(id)}`);
}

/** @throws Failure that says why there is none */
export async function documentOf(
  id: string,
  client: RestClient,
  form: DocumentForm,
  known?: JobInfo,
): Promise<Readable> {
  const document = await client.document(id, form);
  if (document !== undefined) return document;
  const { terminal: ended } = known ?? (await client.job(id));
  throw new Failure(
    ended
      ? `Job ${id} has no document: it was created with buildOutput false, or its results are in the archive.`
      : `Job ${id} has no document yet: troupe jobs watch ${id} shows when it has ended.`,
  );
}
