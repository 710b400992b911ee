/** `troupe stream`: creates a streaming job and shows its events live. */
import type { CreatedStream, PipelineName, StreamRequest } from '../../client/answers.ts';
import { receiversOf, recordingOf } from './resources/streams/stream-options.ts';
import type { ReceiverOptions, RecordingOptions } from './resources/streams/stream-options.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { Interrupts } from '../terminal/interrupts.ts';
import { askForPipeline, isUnknown, pipelineLines, requireAlgorithms } from './pipeline-names.ts';
import { clientOf, textOf } from './resources/command.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { endLine, printerOf } from '../render/stream-lines.ts';
import { printable } from '../../domain/text/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { RefusedError } from '../../client/errors.ts';
import { endedWell, streamPath, watchStream, type StreamWatcher } from '../../client/watch-stream.ts';

export interface StreamOptions extends RecordingOptions, ReceiverOptions {
  /** Without a pipeline, no job is created. */
  readonly pipeline?: string;
  readonly property?: Readonly<Record<string, string>>;
  readonly algorithmProperty?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Length of a segment: frames. */
  readonly segmentSize: number;
  /** Stall timeout: milliseconds. -1: no timeout. */
  readonly stallTimeout: number;
  readonly zone?: StreamRequest['zones'];
  readonly line?: StreamRequest['lines'];
  readonly rule?: StreamRequest['rules'];
  /** Show only events of zones and rules. */
  readonly events?: boolean;
  /** Keep the job running when the command ends. */
  readonly keep?: boolean;
  readonly url?: string;
  readonly json?: boolean;
}

/** Creates a streaming job and shows its events. Returns the exit code. */
export async function stream(given: string, options: StreamOptions, terminal: Terminal): Promise<number> {
  const client = await clientOf(options, terminal);
  const { pipeline, keep } = options;
  if (pipeline === undefined) return askForPipeline(client, terminal);
  await requireAlgorithms(Object.keys(options.algorithmProperty ?? {}), client);
  const uri = given === '-' ? (await textOf('-')).trim() : given;
  const interrupts = new Interrupts();
  const { signal } = interrupts;
  try {
    const { jobId, outputObjectDirectory } = await submit(client, requestOf(uri, pipeline, options), signal);
    const id = String(jobId);
    terminal.note(`Streaming job ${id} is accepted; its reports come to ${printable(String(outputObjectDirectory))}`); // oxfmt-ignore
    const watcher = { onEvent: printerOf(options, terminal), signal };
    const watching = keep === true ? watchStream(client, id, watcher) : watchAndCancel(client, id, watcher, terminal); // oxfmt-ignore
    const job = await watching.catch((error: unknown) => {
      if (keep !== true || !signal.aborted) throw error;
      return undefined;
    });
    terminal.note(job === undefined ? `Streaming job ${id} continues: troupe streams watch ${id}, or cancel ${id}.` : endLine(job)); // oxfmt-ignore
    return job === undefined || endedWell(job) ? EXIT.done : EXIT.failed;
  } finally {
    interrupts.close();
  }
}

function requestOf(uri: string, pipeline: string, options: StreamOptions): StreamRequest {
  const recording = recordingOf(options);
  return {
    enableOutputToDisk: true,
    jobProperties: options.property ?? {},
    algorithmProperties: options.algorithmProperty ?? {},
    stream: {
      streamUri: uri,
      segmentSize: options.segmentSize,
      ...(recording === undefined ? {} : { recording }),
    },
    stallTimeout: options.stallTimeout,
    pipelineName: pipeline,
    ...zonesOf(options),
  };
}

function zonesOf({ zone, line, rule, ...options }: StreamOptions): Partial<StreamRequest> {
  const events = receiversOf(options);
  return {
    ...(zone === undefined ? {} : { zones: zone }),
    ...(line === undefined ? {} : { lines: line }),
    ...(rule === undefined ? {} : { rules: rule }),
    ...(events === undefined ? {} : { events }),
  };
}

/** Creates the job. @throws Failure with advice if the job is refused */
async function submit(
  client: RestClient,
  request: StreamRequest,
  signal: AbortSignal,
): Promise<CreatedStream> {
  const body = JSON.stringify(request);
  const call = { method: 'POST', path: '/rest/streaming/jobs', body, once: 'job' } as const;
  try {
    return client.good(await client.ask(call, signal)) as CreatedStream;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 400) throw error;
    const known = await client.pipelines().catch((): readonly PipelineName[] => []);
    const advice = isUnknown(request.pipelineName, known) ? pipelineLines(known) : [];
    throw new Failure([error.message, ...advice].join('\n'));
  }
}

/** Cancels the job when `signal` aborts, and watches it until its end, because the results of its last segment count, too. */
async function watchAndCancel(
  client: RestClient,
  id: string,
  { onEvent, signal }: StreamWatcher,
  terminal: Terminal,
) {
  const lost = new AbortController();
  let problem: unknown;
  const cancel = () => {
    terminal.note(`Streaming job ${id} is being cancelled; press Ctrl-C again to leave at once.`);
    void cancelJob(client, id).catch((error: unknown) => {
      problem = error;
      lost.abort();
    });
  };
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await watchStream(client, id, { onEvent, signal: lost.signal });
  } catch (error) {
    throw problem ?? error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Cancels a job. A job that has just ended refuses this, and the caller then reads its final state. */
async function cancelJob(client: RestClient, id: string): Promise<void> {
  const answer = await client.ask({ method: 'POST', path: `${streamPath(id)}/cancel` });
  if (answer.status !== 400) client.good(answer);
}
