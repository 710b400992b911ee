import type { z } from 'zod';
import type { jobCreationRequest } from '../../http/schemas/jobs/batch-jobs.ts';
import { GOALS, OWN, type Goal, type MediaKind } from './goals.ts';
import { TEXT } from '../kit/text.ts';

/** A medium that was chosen for a job. */
export interface ChosenMedium {
  /** Key within this page. */
  readonly key: number;
  readonly name: string;
  /** Undefined while the upload is running, or if the server refused it. */
  readonly uri: string | undefined;
  readonly sent?: number;
  /** State of a file that is being uploaded. */
  readonly upload?: 'waiting' | 'sending' | 'paused' | 'interrupted';
  readonly bytes?: number;
  readonly problem?: string;
  /** False if the medium is no video, so that no part can be selected. */
  readonly hasParts?: boolean;
  /** Undefined until the medium is inspected. */
  readonly kind?: MediaKind | undefined;
  /** Start and end of the part as typed: seconds. */
  readonly from: string;
  readonly to: string;
}

/** Changes the draft of the form. */
export type ChangeDraft = (change: (draft: Draft) => Draft) => void;

/** The content of the form. */
export interface Draft {
  readonly media: readonly ChosenMedium[];
  /** Ids of GOALS. They are ignored if a pipeline is chosen. */
  readonly goals: readonly string[];
  /** Value of MODEL_NAME for the goal that needs a model. */
  readonly model: string;
  readonly pipelineName: string;
  /** Typed values by algorithm, then by property. */
  readonly properties: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Value of FRAME_INTERVAL. Empty: that of the pipeline. */
  readonly interval: string;
  /** True if copies of the media with blurred findings are made. Ignored if a pipeline is chosen. */
  readonly isBlurred: boolean;
  readonly callback: string;
  readonly priority: string;
  readonly externalId: string;
}

export const EMPTY: Draft = {
  media: [],
  goals: [],
  model: '',
  pipelineName: '',
  properties: {},
  interval: '',
  isBlurred: false,
  callback: '',
  priority: '',
  externalId: '',
};

export type JobCreationRequest = z.input<typeof jobCreationRequest>;

/** Returns the requests for the chosen goals. Media of different kinds become separate jobs. */
export function requestsOf(draft: Draft): readonly JobCreationRequest[] {
  if (draft.pipelineName !== '') return [requestOf(draft, { pipelineName: draft.pipelineName })];
  const groups = new Map<string, { readonly goals: readonly Goal[]; readonly media: ChosenMedium[] }>();
  for (const medium of draft.media.filter(({ uri }) => uri !== undefined)) {
    const goals = goalsFor(medium, draft);
    const key = goals.map(({ id }) => id).join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { goals, media: [medium] });
    else group.media.push(medium);
  }
  return [...groups.values()].flatMap(({ goals, media }) =>
    worksOf(goals, draft).map((work) => requestOf({ ...draft, media }, work)),
  );
}

/** Returns the goals that apply to the kind of a medium. */
export const goalsFor = ({ kind }: ChosenMedium, { goals }: Draft): readonly Goal[] =>
  GOALS.filter(({ id, kinds }) => goals.includes(id) && (kind === undefined || kinds.includes(kind)));

type Work = Pick<JobCreationRequest, 'pipelineName' | 'pipelineDefinition' | 'jobProperties'>;

/**
 * Groups goals into jobs. Goals that share a task are one job. Each other goal is a job of its own, and so is each goal with blurred copies,
 * because the server refuses a task after a task with several actions.
 */
function worksOf(goals: readonly Goal[], { isBlurred, model }: Draft): readonly Work[] {
  const shared = goals.filter(({ actions, hasBoxes }) => actions !== undefined && !(isBlurred && hasBoxes));
  const blurred = goals.filter(({ hasBoxes }) => isBlurred && hasBoxes);
  return [
    ...(shared.length === 1 ? [{ pipelineName: shared[0]!.pipeline }] : []),
    ...(shared.length > 1 ? [{ pipelineDefinition: pipelineOf(shared, []) }] : []),
    ...blurred.map((goal) => ({
      pipelineDefinition: pipelineOf([goal], [MARKUP_TASK]),
      jobProperties: { MARKUP_STYLE: 'BLUR' },
    })),
    ...goals
      .filter((goal) => goal.actions === undefined)
      .map(({ id, pipeline }) => ({
        pipelineName: pipeline,
        ...(id === OWN && model !== '' && { jobProperties: { MODEL_NAME: model } }),
      })),
  ];
}

const pipelineOf = (goals: readonly Goal[], after: readonly string[]) => ({
  pipeline: [TASK, ...after],
  tasks: [{ name: TASK, actions: goals.flatMap(({ actions = [] }) => actions) }],
});
const [TASK, MARKUP_TASK] = ['ANALYSIS TASK', 'GENERIC MARKUP TASK'];

/** Returns the request for the REST interface. */
function requestOf(
  { media, properties, interval, callback, priority, externalId }: Draft,
  work: Work,
): JobCreationRequest {
  const jobProperties = { ...work.jobProperties, ...(interval !== '' && { FRAME_INTERVAL: interval }) };
  const algorithmProperties = Object.fromEntries(
    Object.entries(properties)
      .map(([algorithm, values]) => [algorithm, filledIn(values)] as const)
      .filter(([, values]) => Object.keys(values).length > 0),
  );
  return {
    media: media.flatMap(mediumOf),
    ...work,
    ...(Object.keys(jobProperties).length > 0 && { jobProperties }),
    ...(Object.keys(algorithmProperties).length > 0 && { algorithmProperties }),
    ...(priority !== '' && { priority: Number(priority) }),
    ...(externalId !== '' && { externalId }),
    ...(callback !== '' && { callbackURL: callback, callbackMethod: 'POST' }),
  };
}

const filledIn = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** End of a range that covers the whole medium. */
const END_MS = 2_147_483_647;

function mediumOf({ uri, from, to }: ChosenMedium): JobCreationRequest['media'] {
  if (uri === undefined) return [];
  if (from === '' && to === '') return [{ mediaUri: uri }];
  const start = from === '' ? 0 : milliseconds(from);
  const stop = to === '' ? END_MS : milliseconds(to);
  return [{ mediaUri: uri, timeRanges: [{ start, stop }] }];
}

const milliseconds = (seconds: string) => Math.round(Number(seconds) * 1_000);

/** Returns what is missing before the analysis can start. Returns undefined if nothing is missing. */
export function missingOf(draft: Draft): string | undefined {
  const { media, pipelineName, goals, model } = draft;
  if (media.some(({ uri, problem }) => uri === undefined && problem === undefined)) return TEXT.new.uploading;
  const sent = media.filter(({ uri }) => uri !== undefined);
  if (sent.length === 0) return TEXT.new.addFilesFirst;
  if (pipelineName !== '') return undefined;
  if (goals.length === 0) return TEXT.new.chooseWhatToLookFor;
  if (goals.includes(OWN) && model === '') return TEXT.new.chooseAModel;
  const without = sent.find((medium) => goalsFor(medium, draft).length === 0);
  return without === undefined ? undefined : TEXT.new.chooseSomethingToLookFor(without.name);
}

/** Returns the request as a shell command with a token in `$TOKEN`. */
export function curlLine(url: string, request: JobCreationRequest): string {
  const body = JSON.stringify(request, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl -X POST ${url} \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
