/** `troupe jobs output` and `summary`: the results of a job. */
import type { JobInfo } from '../../../../client/answers.ts';
import type { Command } from 'commander';
import type { Readable } from 'node:stream';
import {
  DOCUMENT_FORMATS,
  exportFileName,
  JOINED_FORMATS,
  joinedFileName,
} from '../../../../domain/job/export-formats.ts';
import { Failure } from '../../../terminal/failure.ts';
import type { DocumentForm, RestClient } from '../../../../client/rest-client.ts';
import { overviewLines } from '../../../render/overview.ts';
import { saveDocument } from '../../../terminal/save-document.ts';
import { summarize } from '../../../render/summary.ts';
import { documentLines, jobLine } from '../../../render/tables.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { clientOf, command, type RestOptions } from '../command.ts';
import { filterOf, requireJobs, withFilters, type FilterOptions } from './job-filters.ts';

interface OutputOptions extends RestOptions, FilterOptions {
  /** Target file. True: a file named after the job. */
  readonly output?: string | true;
  readonly format?: string;
  readonly media?: string;
  readonly pictures?: boolean;
  readonly all?: boolean;
}

export function outputCommands(jobs: Command, terminal: Terminal): void {
  withFilters(command(jobs, 'output [ID...]', 'print the results of jobs'))
    .option('-o, --output [FILE]', 'file to write; without FILE it is named after the job')
    .option('--format <FORMAT>', `one of ${DOCUMENT_FORMATS.join(', ')}; of many jobs ${JOINED}`)
    .option('--media <ID>', 'only this medium, by its mediaId')
    .option('--pictures', 'with the format yolo: the frames, too')
    .option('--all', 'all jobs that have ended')
    .action((ids: string[], options: OutputOptions) => {
      const [id] = ids;
      const isSingle = ids.length === 1 && id !== undefined && !isFiltered(options);
      return isSingle ? outputOf(id, options, terminal) : outputOfMany(ids, options, terminal);
    });
  command(jobs, 'summary <ID>', 'show what a job has found, like analyze').action(
    (id: string, options: RestOptions) => summary(id, options, terminal),
  );
}

const JOINED = JOINED_FORMATS.join(', ');

async function outputOf(id: string, options: OutputOptions, terminal: Terminal): Promise<void> {
  const { format, media, output, pictures } = options;
  requireFile(options, terminal);
  const client = await clientOf(options, terminal);
  const job = output === true ? await client.job(id) : undefined;
  const form = { format, media, pictures: pictures === true ? 'true' : undefined };
  const document = await documentOf(id, client, form, job);
  const file = exportFileName(job?.jobId ?? id, formatOf(format), media);
  await write(document, output === true ? file : output, output === true, terminal);
}

async function outputOfMany(
  ids: readonly string[],
  options: OutputOptions,
  terminal: Terminal,
): Promise<void> {
  const { format, media, output, pictures } = options;
  const joined = JOINED_FORMATS.find((one) => one === format);
  requireJobs(ids, isFiltered(options));
  if (joined === undefined) throw new Failure(`Say in which format: --format with one of ${JOINED}.`);
  if (media !== undefined) throw new Failure('--media is for one job: name its id alone.');
  requireFile(options, terminal);
  const client = await clientOf(options, terminal);
  const document = await client.exportJobs({
    ...filterOf(options),
    format,
    pictures,
    ids: ids.length === 0 ? undefined : ids.join(','),
  });
  const file = output === true ? joinedFileName(joined) : output;
  await write(document, file, output === true, terminal);
}

const isFiltered = (options: OutputOptions) =>
  options.all === true || Object.values(filterOf(options)).some((value) => value !== undefined);

/** Binary formats need a file, because their bytes would disturb a terminal. */
function requireFile({ format, output }: OutputOptions, { stdout }: Terminal): void {
  if (output === undefined && stdout.isTTY && (format === 'parquet' || format === 'yolo'))
    throw new Failure(`The format ${format} is not for a terminal: name a file with -o.`);
}

async function write(
  document: Readable,
  file: string | undefined,
  isNamed: boolean,
  terminal: Terminal,
): Promise<void> {
  if (file === undefined) return terminal.pour(document);
  await saveDocument(document, file);
  if (isNamed) terminal.note(`Written to ${file}.`);
}

/** Returns the format of the answer. The service has refused unknown formats. */
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

/** Opens the document of a job. @throws Failure with the reason if there is none */
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
