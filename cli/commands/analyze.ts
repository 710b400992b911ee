import type { JobInfo } from '../../client/answers.ts';
import { readCliSettings } from '../../config/cli.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { follow } from '../../client/follow.ts';
import { Interrupts } from '../terminal/interrupts.ts';
import { mediaOf } from '../arguments/media-arguments.ts';
import { showProgress } from '../render/progress.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { saveDocument } from '../terminal/save-document.ts';
import { Session } from '../service/session.ts';
import { withPages, type PageRange } from '../arguments/pages.ts';
import { openService } from '../service/open-service.ts';
import type { Service } from '../service/service.ts';
import { overviewLines } from '../render/overview.ts';
import { askForPipeline } from './pipeline-names.ts';
import { submit, tryOut, type JobOptions, type Submitted } from './submit.ts';
import { peopleLines } from '../render/people-lines.ts';
import { summarize } from '../render/summary.ts';
import { documentLines, jobLine } from '../render/tables.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface AnalyzeOptions extends Omit<JobOptions, 'pipeline'> {
  /** Without a pipeline, no job is created. */
  readonly pipeline?: string;
  /** Include the media in folders. */
  readonly recursive?: boolean;
  readonly url?: string;
  /** Show what the job would do, without creating it. */
  readonly dryRun?: boolean;
  /** Print the document instead of the tables. */
  readonly json?: boolean;
  /** Process only these pages of documents. */
  readonly pages?: readonly PageRange[];
  /** Also write the document to this file. */
  readonly output?: string;
}

/** Runs one job to its end and shows its results. Returns the exit code. */
export async function analyze(
  files: readonly string[],
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<number> {
  const { pipeline, from, to } = options;
  if (from !== undefined && to !== undefined && to < from)
    throw new Failure('--to must be later than --from.');
  const settings = readCliSettings();
  const folders = { except: settings.dataDir, note: (text: string) => terminal.note(text) };
  const named =
    pipeline === undefined ? [] : await mediaOf(files, options.recursive === true ? folders : undefined);
  const media =
    options.pages === undefined || named.length === 0 ? named : await withPages(named, options.pages);
  const url = options.url ?? settings.url;
  const interrupts = new Interrupts();
  const onGone = () =>
    terminal.note('That service has stopped. Its accepted jobs are in DATA_DIR and resume from there.');
  const session = new Session(
    () => openService({ media, settings, url, terminal, signal: interrupts.signal }),
    url === undefined ? onGone : undefined,
  );
  try {
    const { signal } = interrupts;
    if (pipeline === undefined)
      return await session.use((service) => askForPipeline(service.client, terminal));
    const wanted = { ...options, pipeline };
    if (options.dryRun === true) {
      await session.use((service) => tryOut(service, media, wanted, terminal));
      return EXIT.done;
    }
    const submitted = await session.use((service) => submit(service, media, wanted, terminal, signal));
    const job = await session.use((service) => watch(service, submitted.jobId, terminal, signal));
    await session.use((service) => show(job, submitted, service, options, terminal));
    return job.jobStatus.startsWith('COMPLETE') ? EXIT.done : EXIT.failed;
  } finally {
    await session.close();
    interrupts.close();
  }
}

async function watch(
  { client }: Service,
  jobId: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<JobInfo> {
  const progress = await showProgress(terminal, [jobId]);
  const onEvent = (job: JobInfo) => progress.update(jobId, job);
  return follow(client, jobId, { onEvent, signal }).finally(() => progress.stop());
}

async function show(
  job: JobInfo,
  { names }: Submitted,
  { client, embedded }: Service,
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<void> {
  const kept = options.output === undefined ? undefined : await client.document(job.jobId);
  if (kept !== undefined && options.output !== undefined) await saveDocument(kept, options.output);
  const document = await client.document(job.jobId);
  const place = document === undefined ? undefined : placeOf(job, client, embedded, options.output);
  const note =
    job.jobStatus === 'COMPLETE_WITH_WARNINGS'
      ? 'The job has warnings. Read them before you rely on its results.'
      : undefined;
  if (options.json === true) {
    if (document !== undefined) await terminal.pour(document);
    for (const line of [jobLine(job), place, note]) if (line !== undefined) terminal.note(line);
    return;
  }
  terminal.print(jobLine(job));
  if (document !== undefined) {
    const found = await summarize(document);
    for (const line of [...documentLines(found, names), ...overviewLines(found, terminal.width, names)])
      terminal.print(line);
    for (const line of await peopleLines(client, job.jobId, found)) terminal.print(line);
  }
  terminal.print(`\n${place ?? 'The job has no document.'}`);
  if (note !== undefined) terminal.note(note);
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
