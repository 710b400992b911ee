/** `troupe streams ...` (specification 4.3). */
import type { Command } from 'commander';
import type { CancelledStream, StreamIds, StreamInfo } from '../../../../client/answers.ts';
import { factLines, Table, type Column } from '../../../terminal/columns.ts';
import { EXIT } from '../../../terminal/failure.ts';
import { Interrupts } from '../../../terminal/interrupts.ts';
import { refusal, type RestClient } from '../../../../client/rest-client.ts';
import { saveDocument } from '../../../terminal/save-document.ts';
import { endLine, pictureText, printerOf } from '../../../render/stream-lines.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { RefusedError } from '../../../../client/errors.ts';
import {
  endedWell,
  streamOf,
  streamPath,
  unknownStream,
  watchStream,
} from '../../../../client/watch-stream.ts';
import { restartCommand } from './stream-restart.ts';
import { countsCommand, eventsCommand } from './stream-zones.ts';
import { askCommand, clientOf, command, date, momentText, readAs, show, withQuery, type RestOptions } from '../command.ts'; // oxfmt-ignore

const ID = '<ID>';
/** Number of concurrent requests for jobs. The service lists only their ids. */
const AT_ONCE = 20;

const COLUMNS: readonly Column<StreamInfo>[] = [
  { title: 'JOB', of: ({ jobId }) => String(jobId) },
  { title: 'STATUS', of: ({ jobStatus }) => jobStatus },
  { title: 'SEGMENTS', of: ({ segments }) => String(segments ?? ''), right: true },
  { title: 'DROPPED', of: ({ frames }) => String(frames?.dropped ?? ''), right: true },
  { title: 'STARTED', of: ({ startDate }) => momentText(startDate) },
  { title: 'PIPELINE', of: ({ pipelineName }) => pipelineName, flexible: true },
  { title: 'STREAM', of: ({ streamUri }) => streamUri, flexible: true },
];

export function streamCommands(program: Command, terminal: Terminal): void {
  const streams = program
    .command('streams')
    .description(
      'streaming jobs: list, show, watch, events, counts, frame, clip, restart, cancel, delete; troupe stream makes one',
    );
  askCommand(streams, 'list', 'list the streaming jobs that are active')
    .option('--all', 'also those that have ended')
    .action((options: RestOptions & { readonly all?: boolean }) => list(options, terminal));
  showCommand(streams, terminal);
  watchCommand(streams, terminal);
  eventsCommand(streams, terminal);
  countsCommand(streams, terminal);
  frameCommand(streams, terminal);
  clipCommand(streams, terminal);
  restartCommand(streams, terminal);
  cancelCommand(streams, terminal);
  command(streams, `delete ${ID}`, 'delete a streaming job that has ended, with its files').action(
    (id: string, options: RestOptions) => {
      const call = { method: 'DELETE', path: streamPath(id) } as const;
      const lines = () => [`Streaming job ${id} is deleted.`];
      return show(terminal, options, call, { lines, refusals: { 404: unknownStream(id) } });
    },
  );
}

async function list(options: RestOptions & { readonly all?: boolean }, terminal: Terminal): Promise<void> {
  const client = await clientOf(options, terminal);
  const path = withQuery('/rest/streaming/jobs', { isActive: options.all === true ? false : undefined });
  const answer = await client.ask({ method: 'GET', path });
  const found = client.good(answer) as StreamIds;
  if (options.json === true) return terminal.print(answer.text);
  const ids = readAs(client.url, () => found.jobIds.map(String));
  const table = new Table(COLUMNS, terminal.width);
  let any = false;
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const jobs = await readStreams(client, ids.slice(from, from + AT_ONCE));
    any ||= jobs.length > 0;
    if (jobs.length > 0) for (const line of readAs(client.url, () => table.lines(jobs))) terminal.print(line);
  }
  if (!any) terminal.note('No streaming job matches.');
}

/** Returns the states of these jobs. A job that has just been deleted is omitted. */
async function readStreams(client: RestClient, ids: readonly string[]): Promise<readonly StreamInfo[]> {
  const jobs = await Promise.all(
    ids.map((id) =>
      streamOf(client, id).catch((error: unknown) => {
        if (error instanceof RefusedError && error.status === 400) return undefined;
        throw error;
      }),
    ),
  );
  return jobs.filter((job) => job !== undefined);
}

function showCommand(streams: Command, terminal: Terminal): void {
  askCommand(streams, `show ${ID}`, 'show a streaming job').action((id: string, options: RestOptions) => {
    const call = { method: 'GET', path: `${streamPath(id)}?details=true` } as const;
    return show<StreamInfo>(terminal, options, call, {
      lines: jobLines,
      refusals: { 400: unknownStream(id) },
    });
  });
}

function jobLines(job: StreamInfo): readonly string[] {
  const { frames, picture, reports, activityTimestamp, activityFrameId } = job;
  return factLines({
    Job: job.jobId,
    Status: job.jobStatus,
    Detail: job.jobStatusDetail,
    Stream: job.streamUri,
    Picture: picture && pictureText(picture),
    Pipeline: job.pipelineName,
    'External id': job.externalId,
    Started: momentText(job.startDate),
    Ended: momentText(job.endDate),
    Segments: job.segments,
    Warnings: job.warnings?.length === 0 ? undefined : job.warnings,
    'Last activity': activityFrameId && `${momentText(activityTimestamp)}, frame ${activityFrameId}`,
    Frames: frames && [
      `${frames.read} read, ${frames.processed} looked at`,
      `${frames.dropped} dropped as newer ones had come`,
      `${frames.skipped} left out as nothing moved`,
    ],
    Reconnects: frames?.reconnects,
    'Health report': reportText(reports?.health),
    'Summary report': reportText(reports?.summary),
    'Lost reports': reports?.dropped === 0 ? undefined : reports?.dropped,
    Reports: job.outputObjectDirectory,
  });
}

function reportText(last: NonNullable<StreamInfo['reports']>['health'] | undefined): string | undefined {
  if (last === undefined || last === null) return undefined;
  return `${momentText(last.at)}, ${last.error === null ? 'accepted' : `not accepted: ${last.error}`}`;
}

function watchCommand(streams: Command, terminal: Terminal): void {
  const about = 'show results of a live stream as they arrive';
  const codes = '0 the stream has ended or was cancelled, 1 it ended with an error or is no longer watched';
  command(streams, `watch ${ID}`, about)
    .option('--json', 'print the events of the service, one line of JSON each')
    .addHelpText('after', `\nExit code: ${codes}.`)
    .action(async (id: string, options: RestOptions) => {
      process.exitCode = await watch(id, options, terminal);
    });
}

async function watch(id: string, options: RestOptions, terminal: Terminal): Promise<number> {
  const client = await clientOf(options, terminal);
  const interrupts = new Interrupts();
  try {
    const job = await watchStream(client, id, {
      signal: interrupts.signal,
      onEvent: printerOf(options, terminal),
    });
    terminal.note(endLine(job));
    return endedWell(job) ? EXIT.done : EXIT.failed;
  } finally {
    interrupts.close();
  }
}

function frameCommand(streams: Command, terminal: Terminal): void {
  command(streams, `frame ${ID}`, 'get the newest picture of a stream, with boxes')
    .requiredOption('--to <FILE>', 'write it to this file (JPEG)')
    .action(async (id: string, options: RestOptions & { readonly to: string }) => {
      const client = await clientOf(options, terminal);
      const answer = await client.ask({ method: 'GET', path: `${streamPath(id)}/frame.jpg`, streamed: true });
      if (answer.status === 400) throw new RefusedError(400, unknownStream(id));
      if (answer.stream === undefined) throw refusal(answer);
      await saveDocument(answer.stream, options.to, 'picture');
    });
}

interface ClipOptions extends RestOptions {
  readonly from: string;
  readonly to: string;
  readonly output: string;
}

function clipCommand(streams: Command, terminal: Terminal): void {
  command(streams, `clip ${ID}`, 'get a clip of what is recorded of a live stream')
    .requiredOption('--from <TIME>', 'when it begins', date)
    .requiredOption('--to <TIME>', 'when it ends, at most one hour later', date)
    .requiredOption('--output <FILE>', 'write it to this file (MP4)')
    .action(async (id: string, { from, to, output, ...options }: ClipOptions) => {
      const client = await clientOf(options, terminal);
      const path = withQuery(`${streamPath(id)}/recordings/clip.mp4`, { start: from, stop: to });
      const answer = await client.ask({ method: 'GET', path, streamed: true });
      if (answer.status === 400) throw new RefusedError(400, unknownStream(id));
      if (answer.stream === undefined) throw refusal(answer);
      await saveDocument(answer.stream, output, 'clip');
    });
}

function cancelCommand(streams: Command, terminal: Terminal): void {
  askCommand(streams, `cancel ${ID}`, 'cancel a streaming job')
    .option('--cleanup', 'remove all its files, too')
    .action((id: string, options: RestOptions & { readonly cleanup?: boolean }) => {
      const path = withQuery(`${streamPath(id)}/cancel`, { doCleanup: options.cleanup });
      const call = { method: 'POST', path } as const;
      return show<CancelledStream>(terminal, options, call, {
        lines: ({ doCleanup }) => [
          `Streaming job ${id} is being cancelled${doCleanup ? ', and its files are removed' : ''}.`,
        ],
      });
    });
}
