import type { z } from 'zod';
import type { jobCreationRequest } from '../../http/schemas/jobs/batch-jobs.ts';
import { GOALS, OWN_MODEL, type Goal, type MediaKind } from './goals.ts';
import { TEXT } from '../kit/text.ts';

/** A medium that was chosen for a job. */
export interface ChosenMedium {
  /** For this page alone. */
  readonly key: number;
  readonly name: string;
  /** undefined: it is still on its way to the server, or was not taken. */
  readonly uri: string | undefined;
  readonly sent?: number;
  /** Of a file that is on its way. */
  readonly upload?: 'waiting' | 'sending' | 'paused' | 'interrupted';
  readonly bytes?: number;
  readonly problem?: string;
  /** false: it is no video, of which a part can be taken. */
  readonly hasParts?: boolean;
  /** undefined: not known before it is inspected. */
  readonly kind?: MediaKind | undefined;
  /** Seconds from the start, as they were typed. */
  readonly from: string;
  readonly to: string;
}

/** Changes what the form holds. */
export type ChangeDraft = (change: (draft: Draft) => Draft) => void;

/** What the form holds. */
export interface Draft {
  readonly media: readonly ChosenMedium[];
  /** Ids of GOALS; they count while no pipeline is chosen. */
  readonly goals: readonly string[];
  /** MODEL_NAME of the goal that needs one. */
  readonly model: string;
  readonly pipelineName: string;
  /** By algorithm, then by property; as they were typed. */
  readonly properties: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly priority: string;
  readonly externalId: string;
}

export const EMPTY: Draft = {
  media: [],
  goals: [],
  model: '',
  pipelineName: '',
  properties: {},
  priority: '',
  externalId: '',
};

export type JobCreationRequest = z.input<typeof jobCreationRequest>;

/** The jobs that do what was chosen: media of different kinds become jobs of their own. */
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
    worksOf(goals).map((work) => requestOf({ ...draft, media }, work)),
  );
}

/** What is looked for in a medium: the goals that its kind has. */
export const goalsFor = ({ kind }: ChosenMedium, { goals }: Draft): readonly Goal[] =>
  GOALS.filter(({ id, kinds }) => goals.includes(id) && (kind === undefined || kinds.includes(kind)));

type Work = Pick<JobCreationRequest, 'pipelineName' | 'pipelineDefinition' | 'jobProperties'>;

/** Goals that share a task are one job, each of the others is a job of its own. */
function worksOf(goals: readonly Goal[]): readonly Work[] {
  const shared = goals.filter(({ actions }) => actions !== undefined);
  const actions = shared.flatMap((goal) => goal.actions ?? []);
  return [
    ...(shared.length === 1 ? [{ pipelineName: shared[0]!.pipeline }] : []),
    ...(shared.length > 1
      ? [{ pipelineDefinition: { pipeline: [TASK], tasks: [{ name: TASK, actions }] } }]
      : []),
    ...goals.filter((goal) => goal.actions === undefined).map(({ pipeline }) => ({ pipelineName: pipeline })),
  ];
}
const TASK = 'ANALYSIS TASK';

/** The job as the REST interface takes it. */
function requestOf(
  { media, model, properties, priority, externalId }: Draft,
  work: Work,
): JobCreationRequest {
  const algorithmProperties = Object.fromEntries(
    Object.entries(properties)
      .map(([algorithm, values]) => [algorithm, filledIn(values)] as const)
      .filter(([, values]) => Object.keys(values).length > 0),
  );
  return {
    media: media.flatMap(mediumOf),
    ...work,
    ...(work.pipelineName === OWN_MODEL && model !== '' && { jobProperties: { MODEL_NAME: model } }),
    ...(Object.keys(algorithmProperties).length > 0 && { algorithmProperties }),
    ...(priority !== '' && { priority: Number(priority) }),
    ...(externalId !== '' && { externalId }),
  };
}

const filledIn = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** From 0 to the end is the whole medium. */
const END_MS = 2_147_483_647;

function mediumOf({ uri, from, to }: ChosenMedium): JobCreationRequest['media'] {
  if (uri === undefined) return [];
  if (from === '' && to === '') return [{ mediaUri: uri }];
  const start = from === '' ? 0 : milliseconds(from);
  const stop = to === '' ? END_MS : milliseconds(to);
  return [{ mediaUri: uri, timeRanges: [{ start, stop }] }];
}

const milliseconds = (seconds: string) => Math.round(Number(seconds) * 1_000);

/** What is missing before the analysis can start; undefined: nothing. */
export function missingOf(draft: Draft): string | undefined {
  const { media, pipelineName, goals, model } = draft;
  if (media.some(({ uri, problem }) => uri === undefined && problem === undefined)) return TEXT.new.uploading;
  const sent = media.filter(({ uri }) => uri !== undefined);
  if (sent.length === 0) return TEXT.new.addFilesFirst;
  if (pipelineName !== '') return undefined;
  if (goals.length === 0) return TEXT.new.chooseWhatToLookFor;
  if (goals.includes('own') && model === '') return TEXT.new.chooseAModel;
  const without = sent.find((medium) => goalsFor(medium, draft).length === 0);
  return without === undefined ? undefined : TEXT.new.chooseSomethingToLookFor(without.name);
}

/** The same as a line for a shell, with a token in `$TOKEN`. */
export function curlLine(url: string, request: JobCreationRequest): string {
  const body = JSON.stringify(request, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl -X POST ${url} \\`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join('\n');
}
