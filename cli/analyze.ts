import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { readCliSettings, readEmbeddedSettings, type CliSettings } from '../config/cli.ts';
import { canonicalName } from '../pipeline/values.ts';
import { EXIT, Failure } from './failure.ts';
import { follow } from './follow.ts';
import { Interrupts } from './interrupts.ts';
import { mediaOf, type MediumArgument } from './media-arguments.ts';
import { showProgress } from './progress.ts';
import { RefusedError, type JobInfo, type RestClient } from './rest-client.ts';
import { Session } from './session.ts';
import { findService, startService, type Service } from './service.ts';
import { summarize } from './summary.ts';
import { documentLines, jobLine } from './tables.ts';
import type { Terminal } from './terminal.ts';

export interface AnalyzeOptions {
  readonly pipeline: string;
  readonly property: Readonly<Record<string, string>>;
  readonly priority?: number;
  readonly url?: string;
  /** Print the document instead of the tables. */
  readonly json?: boolean;
  /** Write the document to this file, too. */
  readonly output?: string;
}

/** Runs one job to its end and shows what it found. Answers the exit code. */
export async function analyze(
  files: readonly string[],
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<number> {
  const media = await mediaOf(files);
  const settings = readCliSettings();
  const url = options.url ?? settings.url;
  const interrupts = new Interrupts();
  const gone = () =>
    terminal.note('That service is gone. What it accepted lies in DATA_DIR and goes on from there.');
  const session = new Session(
    () => openService(media, settings, url, terminal),
    url === undefined ? gone : undefined,
  );
  try {
    const jobId = await session.use((service) => submit(service, media, options, interrupts.signal));
    const job = await session.use((service) => watch(service, jobId, terminal, interrupts.signal));
    await session.use((service) => show(job, service, options, terminal));
    return job.jobStatus.startsWith('COMPLETE') ? EXIT.done : EXIT.failed;
  } finally {
    await session.close();
    interrupts.close();
  }
}

async function openService(
  media: readonly MediumArgument[],
  settings: CliSettings,
  url: string | undefined,
  terminal: Terminal,
): Promise<Service> {
  const running = await findService(settings, url);
  if (running !== undefined) {
    terminal.note(`Using the service at ${running.client.url}`);
    return running;
  }
  const own = readEmbeddedSettings([...new Set(media.flatMap(({ folder }) => folder ?? []))]);
  terminal.note(`Starting a service for this job (DATA_DIR ${own.DATA_DIR})`);
  return startService(own);
}

async function watch(
  { client }: Service,
  jobId: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<JobInfo> {
  const progress = showProgress(terminal, [jobId]);
  const seen = (job: JobInfo) => progress.update(jobId, job);
  return follow(client, jobId, { seen, signal }).finally(() => progress.stop());
}

async function submit(
  service: Service,
  media: readonly MediumArgument[],
  options: AnalyzeOptions,
  signal: AbortSignal,
): Promise<string> {
  if (signal.aborted) throw new Failure('Stopped before the job was made.', EXIT.failed);
  try {
    return await service.client.createJob(
      {
        media: media.map(({ uri }) => ({ mediaUri: uri })),
        pipelineName: options.pipeline,
        jobProperties: options.property,
        ...(options.priority !== undefined && { priority: options.priority }),
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw new Failure([error.message, ...(await advice(error, service, media, options))].join('\n'));
  }
}

/** What to do about a refused job. */
async function advice(
  { message, status }: RefusedError,
  service: Service,
  media: readonly MediumArgument[],
  options: AnalyzeOptions,
): Promise<readonly string[]> {
  if (status !== 400) return [];
  const known = await service.client.pipelines().catch((): readonly string[] => []);
  if (known.length > 0 && !known.includes(canonicalName(options.pipeline)))
    return [`The pipelines are: ${known.join(', ')}.`];
  return message.includes('MEDIA_ROOTS') ? [rootsAdvice(service, media)] : [];
}

function rootsAdvice({ client, embedded }: Service, media: readonly MediumArgument[]): string {
  if (embedded) return 'Media in DATA_DIR are never read: copy them elsewhere, or set another DATA_DIR.';
  const folders = [...new Set(media.flatMap(({ folder }) => folder ?? []))].join(':');
  return (
    `The service that runs at ${client.url} reads other folders. Start it with ` +
    `MEDIA_ROOTS=${folders === '' ? '<folder of the media>' : quoted(folders)}, or stop it: analyze then starts its own.`
  );
}

/** As a shell reads it. */
const quoted = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

async function show(
  job: JobInfo,
  { client, embedded }: Service,
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<void> {
  if (options.output !== undefined) await save(client, job, options.output);
  const document = await client.document(job.jobId);
  const place = document === undefined ? undefined : placeOf(job, client, embedded, options.output);
  const note =
    job.jobStatus === 'COMPLETE_WITH_WARNINGS'
      ? 'The job has warnings: see them before you rely on what it found.'
      : undefined;
  if (options.json === true) {
    if (document !== undefined) await terminal.pour(document);
    for (const line of [jobLine(job), place, note]) if (line !== undefined) terminal.note(line);
    return;
  }
  terminal.print(jobLine(job));
  if (document !== undefined)
    for (const line of documentLines(await summarize(document))) terminal.print(line);
  terminal.print(`\n${place ?? 'The job has no document.'}`);
  if (note !== undefined) terminal.note(note);
}

async function save(client: RestClient, { jobId }: JobInfo, file: string): Promise<void> {
  const document = await client.document(jobId);
  if (document === undefined) return;
  await pipeline(document, createWriteStream(file)).catch((error: Error) => {
    throw new Failure(`The document cannot be written to ${file}: ${error.message}`, EXIT.failed);
  });
}

function placeOf(
  { jobId, outputObjectPath }: JobInfo,
  client: RestClient,
  embedded: boolean,
  saved: string | undefined,
): string {
  const places = [saved, outputObjectPath, embedded ? undefined : client.documentUrl(jobId)];
  return `Document: ${places.filter((place) => place !== undefined && place !== null).join('\n          ')}`;
}
