import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { JobInfo, PipelineName } from '../../client/answers.ts';
import { jobPath, jsonOf } from '../rest.ts';
import { AnswerLines } from '../text/answer-lines.ts';
import { linkTo } from '../text/places.ts';
import { DATA_NOTE, quote } from '../text/quote.ts';
import { textAnswer, tool, type ToolCall } from '../tool.ts';
import { jobArgument } from './arguments.ts';
import { jobInfo, stateText } from './job.ts';

const MOST_MEDIA = 20;
const MOST_WAIT_S = 600;
/** Maximum time without an answer. Clients and proxies usually wait for a minute, unless they receive progress. */
const MOST_SILENCE_S = 50;
const USUAL_WAIT_S = 30;
const LOOK_MS = 1_000;
const DESCRIPTION = 140;

const input = z.object({
  media: z
    .array(z.string().min(1).max(4_000))
    .min(1)
    .max(MOST_MEDIA)
    .optional()
    .describe('Addresses that the server can read: file:///media/a.mp4 or https://...'),
  pipeline: z
    .string()
    .max(200)
    .optional()
    .describe('Without it, the tool runs nothing and lists all pipelines'),
  properties: z
    .record(z.string().max(200), z.string().max(10_000))
    .optional()
    .describe('Job properties, such as CONFIDENCE_THRESHOLD: "0.7"'),
  labels: z.array(z.string().max(64)).max(10).optional(),
  wait: z
    .number()
    .min(0)
    .max(MOST_WAIT_S)
    .default(USUAL_WAIT_S)
    .describe(
      'Seconds to wait for the end of the job; more than 50 only if you request progress. The job continues afterwards; the tool job shows it',
    ),
});
type Arguments = z.output<typeof input>;

export const analyzeTool = tool({
  name: 'analyze',
  title: 'Analyze media',
  description:
    'Creates a job that runs a pipeline of detectors over media. Without a pipeline: lists the pipelines.',
  input,
  writes: { destructive: false },
  async run(args, call) {
    const { pipeline, media } = args;
    if (pipeline === undefined || media === undefined) return textAnswer(await pipelineText(call));
    const id = await createJob({ ...args, pipeline, media }, call);
    const job = await waitFor(id, args.wait, call);
    const next = job.terminal
      ? `See what was found: findings or transcript with job ${id}.`
      : `It continues. Follow it with job and id ${id}.`;
    return textAnswer(`Job ${id}: ${stateText(job)}. ${next}\n${linkTo(call.pageUrl(), id)}`);
  },
});

async function pipelineText({ json }: ToolCall): Promise<string> {
  const all = await json<readonly PipelineName[]>('/rest/pipelines');
  const lines = new AnswerLines();
  lines.add(`${all.length} pipelines. Name one by \`pipeline\`, and the media. ${DATA_NOTE}`);
  const shown = lines.addAll(
    all.map(({ name, description }) => `${quote(name)}: ${quote(description, DESCRIPTION)}`),
  );
  if (shown < all.length) lines.close(`${all.length - shown} more pipelines are not shown.`);
  return lines.toString();
}

/** Creates the job. It then runs even if the client disconnects. */
async function createJob(
  { media, pipeline, properties = {}, labels = [] }: Arguments & { readonly media: readonly string[] },
  { ask }: ToolCall,
): Promise<string> {
  const body = {
    media: media.map((mediaUri) => ({ mediaUri })),
    pipelineName: pipeline,
    jobProperties: { OUTPUT_DETAILS: 'TRUE', ...properties },
    labels,
  };
  const { jobId } = jsonOf(await ask({ method: 'POST', path: '/rest/jobs', body })) as { jobId: string };
  return jobId;
}

async function waitFor(id: string, seconds: number, call: ToolCall): Promise<JobInfo> {
  const most = call.progress === undefined ? MOST_SILENCE_S : MOST_WAIT_S;
  const until = performance.now() + Math.min(seconds, most) * 1_000;
  let told = -1;
  for (;;) {
    const job = await jobInfo(id, call);
    const percent = Math.floor(job.jobProgress);
    if (percent > told) await call.progress?.(percent, `Job ${id}: ${job.jobStatus}`);
    told = Math.max(told, percent);
    if (job.terminal || performance.now() >= until || call.signal.aborted) return job;
    // The pause ends at once when the client disconnects.
    await pause(Math.min(LOOK_MS, Math.max(0, until - performance.now())), undefined, { signal: call.signal }).catch(() => undefined); // oxfmt-ignore
  }
}

const cancelInput = z.object({ id: jobArgument });

export const cancelTool = tool({
  name: 'cancel',
  title: 'Cancel a job',
  description: 'Cancels a job that runs or waits. What it has found so far is kept.',
  input: cancelInput,
  writes: { destructive: true },
  async run({ id }, { ask, pageUrl }) {
    jsonOf(await ask({ method: 'POST', path: `${jobPath(id)}/cancel` }));
    return textAnswer(`Job ${id} is being cancelled.\n${linkTo(pageUrl(), id)}`);
  },
});
