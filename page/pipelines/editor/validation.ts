/** Validates a draft while it is edited, by a dry run of a job on the server. */
import { ApiError } from '../../kit/answer.ts';
import { send } from '../../kit/api.ts';
import { useLoaded, useSame, useSettled } from '../../kit/load.ts';
import { definitionOf } from './requests.ts';
import type { Algorithm } from '../types.ts';
import { EMPTY_DRAFT, withTask, type DraftAction, type PipelineDraft } from './draft.ts';
import { TEXT } from '../../kit/text.ts';

export interface Verdict {
  readonly kind: 'ready' | 'unfinished' | 'wrong';
  /** One sentence per note. */
  readonly notes: readonly string[];
  /** Key of the invalid action. */
  readonly action?: number | undefined;
}

/** A medium of an unknown type. Only the pipeline can cause a refusal. */
const ANY_MEDIUM = 'data:,x';
/** Time without changes after which a draft is sent: milliseconds. */
const SETTLED_MS = 350;

interface DryRun {
  readonly coreResponse: { readonly message: string | null };
  readonly pipeline: {
    readonly tasks: readonly {
      readonly actions: readonly { readonly name: string; readonly reason: string | null }[];
    }[];
  };
}

type Algorithms = ReadonlyMap<string, Algorithm>;

/** Returns undefined while the request is running. */
export function useVerdict(
  draft: PipelineDraft,
  names: ReadonlySet<string>,
  algorithms: Algorithms,
): Verdict | undefined {
  const settled = useSettled(useSame(draft), SETTLED_MS);
  const definition = JSON.stringify(definitionOf(settled));
  const checked = useLoaded(
    async () => (settled.tasks.length === 0 ? undefined : checkDraft(settled, algorithms)),
    [definition],
  );
  if (checked.value?.kind === 'wrong') return checked.value;
  const missing = missingOf(draft, names);
  if (missing !== undefined) return missing;
  if (checked.error !== undefined) return { kind: 'wrong', notes: [checked.error.message] };
  return checked.value;
}

async function checkDraft(draft: PipelineDraft, algorithms: Algorithms): Promise<Verdict> {
  const answer = await planOf(draft);
  if (typeof answer === 'string') {
    const action = await wrongActionOf(draft, algorithms);
    return { kind: 'wrong', notes: [plainText(answer)], action: action?.key };
  }
  const { coreResponse, pipeline } = answer;
  const idle = pipeline.tasks.flatMap(({ actions }) => actions.flatMap(({ reason }) => reason ?? []));
  const notes = coreResponse.message?.split('\n') ?? [];
  return { kind: 'ready', notes: [...new Set([...notes, ...idle])].map(plainText).map(asSentence) };
}

/** Returns the plan of a job with the draft, or the reason why the server refuses it. */
async function planOf(draft: PipelineDraft): Promise<DryRun | string> {
  const request = { media: [{ mediaUri: ANY_MEDIUM }], pipelineDefinition: definitionOf(draft) };
  try {
    return await send<DryRun>('POST', 'rest/jobs', request, { dryRun: true });
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
}

/** Returns the first action that the server refuses even alone. Returns undefined if the actions do not fit together. */
async function wrongActionOf(
  { tasks }: PipelineDraft,
  algorithms: Algorithms,
): Promise<DraftAction | undefined> {
  for (const action of tasks.flatMap(({ actions }) => actions)) {
    // An action for markup is never valid alone.
    if (algorithms.get(action.algorithm)?.actionType === 'MARKUP') continue;
    if (typeof (await planOf(withTask(EMPTY_DRAFT, action))) === 'string') return action;
  }
  return undefined;
}

const asSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.?$/, '.')}`;

/** Removes the parts of a message that apply only to jobs. */
const plainText = (message: string) =>
  message
    .replace(/^Failure creating job\. /, '')
    .replace(/^JOB SPECIFIED TRANSIENT PIPELINE: /, '')
    .replaceAll('JOB SPECIFIED TRANSIENT PIPELINE', 'new');

function missingOf({ name, tasks }: PipelineDraft, names: ReadonlySet<string>): Verdict | undefined {
  if (tasks.length === 0) return { kind: 'unfinished', notes: [TEXT.pipelines.addATaskFirst] };
  if (name.trim() === '') return { kind: 'unfinished', notes: [TEXT.pipelines.giveThePipelineAName] };
  if (name.includes('/')) return { kind: 'wrong', notes: [TEXT.pipelines.aNameCannotContainA] };
  if (names.has(name.trim().toUpperCase()))
    return {
      kind: 'wrong',
      notes: [TEXT.pipelines.aPipelineNamedExistsChoose(name.trim().toUpperCase())],
    };
  return undefined;
}
