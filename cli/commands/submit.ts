/** Creates the job of `analyze` with media that the service can read, and gives advice if the job is refused. */
import type { JobRequest, PipelineName } from '../../client/answers.ts';
import { pathToFileURL } from 'node:url';
import { EXIT, Failure } from '../terminal/failure.ts';
import type { MediumArgument } from '../arguments/media-arguments.ts';
import { printPlan } from './dry-run.ts';
import { timeRanges } from '../terminal/moments.ts';
import { isUnknown, noPipeline, pipelineLines, requireAlgorithms } from './pipeline-names.ts';
import type { RestClient } from '../../client/rest-client.ts';
import type { Service } from '../service/service.ts';
import { printableLines } from '../../domain/text/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { RefusedError } from '../../client/errors.ts';
import { Uploads } from './uploads.ts';

export interface JobOptions {
  readonly pipeline: string;
  readonly property?: Readonly<Record<string, string>>;
  /** Properties by algorithm name. */
  readonly algorithmProperty?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly priority?: number;
  readonly label?: readonly string[];
  readonly zone?: JobRequest['zones'];
  readonly line?: JobRequest['lines'];
  readonly rule?: JobRequest['rules'];
  /** Start and end of the processed part of videos: milliseconds. */
  readonly from?: number;
  readonly to?: number;
  /** Print the answers of the service unchanged. */
  readonly json?: boolean;
  /** Upload the files without checking whether the service can read them. */
  readonly upload?: boolean;
}

export interface Submitted {
  readonly jobId: string;
  /** Local names of uploaded media, by the URIs that the service gave them. */
  readonly names: ReadonlyMap<string, string>;
}

function requestOf(media: readonly MediumArgument[], options: JobOptions): JobRequest {
  const ranges = timeRanges(options.from, options.to);
  return {
    media: media.map(({ uri, frameRanges }) => ({
      mediaUri: uri,
      ...(ranges.length > 0 && { timeRanges: ranges }),
      ...(frameRanges !== undefined && { frameRanges }),
    })),
    pipelineName: options.pipeline,
    // Users of the tool can read members outside the specification.
    jobProperties: { OUTPUT_DETAILS: 'TRUE', ...options.property },
    algorithmProperties: options.algorithmProperty ?? {},
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(options.label !== undefined && { labels: [...options.label] }),
    ...(options.zone !== undefined && { zones: options.zone }),
    ...(options.line !== undefined && { lines: options.line }),
    ...(options.rule !== undefined && { rules: options.rule }),
  };
}

/** Shows what a job would do. Uploads nothing, and reports media that the service cannot read. */
export async function tryOut(
  { client }: Service,
  media: readonly MediumArgument[],
  options: JobOptions,
  terminal: Terminal,
): Promise<void> {
  const body = JSON.stringify(requestOf(media, options));
  await printPlan(client, body, options, terminal);
}

/** Creates the job. @throws Failure with advice if the job is refused */
export async function submit(
  service: Service,
  media: readonly MediumArgument[],
  options: JobOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Submitted> {
  if (signal.aborted) throw new Failure('Stopped before the job was created.', EXIT.failed);
  const { client } = service;
  const create = async (readable: readonly MediumArgument[]): Promise<Submitted> => {
    const { jobId, warning } = await client.createJob(requestOf(readable, options), signal);
    if (warning !== undefined) terminal.note(`Warning: ${printableLines(warning)}`);
    return { jobId, names: namesOf(readable) };
  };
  const uploads = new Uploads(client, terminal);
  await requireAlgorithms(Object.keys(options.algorithmProperty ?? {}), client);
  try {
    const files = await filesToUpload(service, media, options);
    if (files.size > 0) await mustHavePipeline(options.pipeline, client);
    return await create(await uploads.of(media, files, signal));
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    await uploads.remove();
    throw new Failure([error.message, ...(await advice(error, service, media))].join('\n'));
  }
}

/** Returns the local files that the service cannot read: it may run on another machine, or read other folders. */
async function filesToUpload(
  { client, embedded }: Service,
  media: readonly MediumArgument[],
  { upload }: JobOptions,
): Promise<ReadonlySet<string>> {
  const local = media.filter(({ file }) => file !== undefined);
  if (embedded || local.length === 0) return new Set();
  const wanted =
    upload === true
      ? local
      : (await client.unusable(local.map(({ uri }) => uri))).flatMap((place) => local[place] ?? []);
  return new Set(wanted.flatMap(({ file }) => file ?? []));
}

/** Checks the pipeline before a large file is uploaded for nothing. @throws Failure */
async function mustHavePipeline(name: string, client: RestClient): Promise<void> {
  const known = await client.pipelines();
  if (isUnknown(name, known))
    throw new Failure([noPipeline(name, known), ...pipelineLines(known)].join('\n'));
}

function namesOf(media: readonly MediumArgument[]): ReadonlyMap<string, string> {
  return new Map(
    media.flatMap(({ uri, file }) => (file === undefined ? [] : [[uri, pathToFileURL(file).href] as const])),
  );
}

async function advice(
  error: RefusedError,
  service: Service,
  media: readonly MediumArgument[],
): Promise<readonly string[]> {
  if (error.code === 'media-outside-roots') return [rootsAdvice(service, media)];
  if (error.code !== 'pipeline-not-found') return [];
  const known = await service.client.pipelines().catch((): readonly PipelineName[] => []);
  return pipelineLines(known);
}

function rootsAdvice({ client, embedded }: Service, media: readonly MediumArgument[]): string {
  if (embedded)
    return 'The service never reads media in DATA_DIR. Copy them elsewhere, or set another DATA_DIR.';
  const folders = [...new Set(media.flatMap(({ folder }) => folder ?? []))].join(':');
  return (
    `The service that runs at ${client.url} reads other folders. Start it with ` +
    `MEDIA_ROOTS=${folders === '' ? '<folder of the media>' : quoteText(folders)}, or stop it: analyze then starts its own.`
  );
}

/** Quotes a text for a shell. */
const quoteText = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
