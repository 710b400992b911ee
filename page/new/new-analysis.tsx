import { useCallback, useState } from 'preact/hooks';
import { send, urlOf } from '../kit/api.ts';
import { useLoaded } from '../kit/load.ts';
import { Problem, Shown } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { Goals } from './goal-cards.tsx';
import { pipelineTitle, type MediaKind } from './goals.ts';
import { MediaChoice } from './media.tsx';
import type { Given } from './open-analysis.ts';
import { PipelineDrawing, Properties } from '../pipelines/pipeline-drawing.tsx';
import { pipelineNames, wholePipeline } from '../pipelines/whole-pipeline.ts';
import {
  curlLine,
  EMPTY,
  goalsFor,
  missingOf,
  requestsOf,
  type ChangeDraft,
  type ChosenMedium,
  type Draft,
  type JobCreationRequest,
} from './request.ts';
import { TEXT } from '../kit/text.ts';

/** The form of an analysis. `given`: initial media. */
export function NewAnalysis({
  given = NOTHING_GIVEN,
  pipeline = '',
  goal = '',
  onStart,
}: {
  readonly given?: Given;
  readonly pipeline?: string;
  /** The initial goal. */
  readonly goal?: string;
  readonly onStart?: () => void;
}) {
  const [draft, setDraft] = useState<Draft>({
    ...{ ...EMPTY, pipelineName: pipeline },
    goals: goal === '' ? [] : [goal],
  });
  const [isExpert, setExpert] = useState(pipeline !== '');
  const changeMedia = useCallback(
    (change: (media: readonly ChosenMedium[]) => readonly ChosenMedium[]) =>
      setDraft((before) => withFirstGoals({ ...before, media: change(before.media) }, before.media.length)),
    [],
  );
  const toggleExpert = () => {
    setExpert(!isExpert);
    setDraft((before) => ({ ...before, pipelineName: '', properties: {} }));
  };
  return (
    <div class="form">
      <MediaChoice media={draft.media} change={changeMedia} given={given} />
      {isExpert ? (
        <PipelineChoice draft={draft} change={setDraft} />
      ) : (
        <Goals draft={draft} change={setDraft} />
      )}
      <p>
        <button type="button" class="plain" onClick={toggleExpert}>
          {isExpert ? TEXT.new.chooseByWhatToLook : TEXT.new.chooseAPipelineAndAll}
        </button>
      </p>
      <More draft={draft} change={setDraft} isExpert={isExpert} />
      <Start draft={draft} onStart={onStart} />
    </div>
  );
}

const NOTHING_GIVEN: Given = {};

/** Default goals by kind of medium, used while no goal is chosen. */
const FIRST_GOALS: Readonly<Record<MediaKind, string>> = {
  VIDEO: 'things',
  IMAGE: 'things',
  AUDIO: 'speech',
  DOCUMENT: 'documents',
};

/** Adds the default goal for new media whose kind has no goal yet. */
function withFirstGoals(draft: Draft, known: number): Draft {
  const open = draft.media.slice(known).filter((medium) => goalsFor(medium, draft).length === 0);
  const added = open.flatMap(({ kind }) => (kind === undefined ? [] : [FIRST_GOALS[kind]]));
  return added.length === 0 ? draft : { ...draft, goals: [...new Set([...draft.goals, ...added])] };
}

function PipelineChoice({ draft, change }: { readonly draft: Draft; readonly change: ChangeDraft }) {
  const { pipelineName, properties } = draft;
  const pipelines = useLoaded((signal) => pipelineNames(signal), []);
  const whole = useLoaded(
    async (signal) => (pipelineName === '' ? null : wholePipeline(pipelineName, signal)),
    [pipelineName],
  );
  const set = (algorithm: string, property: string, value: string) =>
    change((before) => ({
      ...before,
      properties: {
        ...before.properties,
        [algorithm]: { ...before.properties[algorithm], [property]: value },
      },
    }));
  const known = pipelines.value?.find(({ name }) => name === pipelineName);
  return (
    <section>
      <h2>{TEXT.common.pipeline}</h2>
      <Shown of={pipelines}>
        {(all) => (
          <label>
            <span class="unseen">{TEXT.common.pipeline}</span>
            <select
              value={pipelineName}
              onChange={({ currentTarget: { value } }) =>
                change((before) => ({ ...before, pipelineName: value, properties: {} }))
              }
            >
              <option value="">{TEXT.new.chooseOne}</option>
              {all.map(({ name }) => (
                <option key={name} value={name}>
                  {pipelineTitle(name)}
                </option>
              ))}
            </select>
          </label>
        )}
      </Shown>
      {known !== undefined && <p class="hint">{known.description}</p>}
      {pipelineName !== '' && (
        <Shown of={whole}>
          {(pipeline) =>
            pipeline !== null && (
              <>
                <PipelineDrawing of={pipeline} />
                <Properties of={pipeline} values={properties} change={set} />
              </>
            )
          }
        </Shown>
      )}
    </section>
  );
}

/** Options that most users understand. Those of an algorithm are under its pipeline. */
function More({
  draft,
  change,
  isExpert,
}: {
  readonly draft: Draft;
  readonly change: ChangeDraft;
  readonly isExpert: boolean;
}) {
  const set = (what: Partial<Draft>) => change((before) => ({ ...before, ...what }));
  return (
    <details class="options">
      <summary>{TEXT.new.options}</summary>
      <div class="line">
        <label>
          <span>{TEXT.new.accuracy}</span>
          <select
            value={draft.interval}
            onChange={({ currentTarget: { value } }) => set({ interval: value })}
          >
            {INTERVALS.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {!isExpert && (
          <label class="check">
            <input
              type="checkbox"
              checked={draft.isBlurred}
              onChange={({ currentTarget: { checked } }) => set({ isBlurred: checked })}
            />
            <span>{TEXT.new.blurred}</span>
          </label>
        )}
      </div>
      <div class="line">
        <label>
          <span>{TEXT.common.priority}</span>
          <select
            value={draft.priority}
            onChange={({ currentTarget: { value } }) => set({ priority: value })}
          >
            <option value="">{TEXT.new.normal4}</option>
            {Array.from({ length: 10 }, (_, n) => (
              <option key={n} value={n}>
                {n === 0 ? TEXT.new.n0Lowest : n === 9 ? TEXT.new.n9Highest : n}
              </option>
            ))}
          </select>
        </label>
        <label class="grow">
          <span>{TEXT.new.referenceOptional}</span>
          <input
            type="text"
            value={draft.externalId}
            onInput={({ currentTarget: { value } }) => set({ externalId: value })}
          />
        </label>
        <label class="grow">
          <span>{TEXT.new.callbackOptional}</span>
          <input
            type="url"
            placeholder={TEXT.new.callbackExample}
            value={draft.callback}
            onInput={({ currentTarget: { value } }) => set({ callback: value })}
          />
        </label>
      </div>
    </details>
  );
}

/** Values of FRAME_INTERVAL. */
const INTERVALS = [
  ['', TEXT.new.usualAccuracy],
  ['1', TEXT.new.everyFrame],
  ['3', TEXT.new.everyThirdFrame],
  ['10', TEXT.new.everyTenthFrame],
] as const;

interface Created {
  readonly jobId: string;
}
interface DryRun {
  readonly coreResponse: { readonly message: string | null };
  readonly media: readonly { readonly mediaUri: string; readonly problem: string | null }[];
}

function Start({ draft, onStart }: { readonly draft: Draft; readonly onStart: (() => void) | undefined }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [notes, setNotes] = useState<readonly string[]>([]);
  const missing = missingOf(draft);
  const requests = requestsOf(draft);
  const act = async (what: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    setNotes([]);
    await what().catch((error: unknown) => setProblem((error as Error).message));
    setBusy(false);
  };
  const validate = async () => {
    const found = (await Promise.all(requests.map(problemsOf))).flat();
    setNotes(found.length > 0 ? found : [TEXT.new.everythingIsReady]);
  };
  const start = async () => {
    const jobs: string[] = [];
    for (const request of requests) jobs.push((await send<Created>('POST', 'rest/jobs', request)).jobId);
    onStart?.();
    go(jobs.length === 1 ? hrefOf(['jobs', jobs[0]!]) : hrefOf(['library']));
  };
  return (
    <section class="start">
      {problem !== undefined && <Problem>{problem}</Problem>}
      {notes.map((note) => (
        <p key={note} role="status">
          {note}
        </p>
      ))}
      <p class="buttons">
        <span class="hint grow">
          {missing ?? (requests.length > 1 ? TEXT.new.thisStartsJobs(requests.length) : '')}
        </span>
        <button type="button" disabled={busy || missing !== undefined} onClick={() => void act(validate)}>
          {TEXT.new.validate}
        </button>
        <button
          type="button"
          class="primary"
          disabled={busy || missing !== undefined}
          onClick={() => void act(start)}
        >
          {TEXT.new.start}
        </button>
      </p>
      {missing === undefined && (
        <details>
          <summary>{TEXT.new.theSameWithCurl}</summary>
          {requests.map((request, n) => (
            <pre key={n}>{curlLine(urlOf('rest/jobs'), request)}</pre>
          ))}
        </details>
      )}
    </section>
  );
}

/** Returns the problems that the server finds in a dry run of the job. */
async function problemsOf(request: JobCreationRequest): Promise<readonly string[]> {
  const { coreResponse, media } = await send<DryRun>('POST', 'rest/jobs', request, { dryRun: true });
  const problems = media.flatMap(({ mediaUri, problem }) =>
    problem === null ? [] : [`${mediaUri}: ${problem}`],
  );
  return [...problems, ...(coreResponse.message?.split('\n') ?? [])];
}
