import { useCallback, useState } from 'preact/hooks';
import { send, urlOf } from '../kit/api.ts';
import { useLoaded } from '../kit/load.ts';
import { Problem, Shown } from '../kit/parts.tsx';
import { go, hrefOf, type Route } from '../kit/route.ts';
import { MediaChoice } from './media.tsx';
import { PipelineDrawing, Properties } from '../pipelines/pipeline-drawing.tsx';
import { pipelineNames, wholePipeline } from '../pipelines/whole-pipeline.ts';
import { curlLine, EMPTY, missingOf, requestOf, type ChosenMedium, type Draft } from './request.ts';

/** A job from files to its start. */
export function NewJob({ route: { query } }: { readonly route: Route }) {
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, pipelineName: query.get('pipeline') ?? '' });
  const changeMedia = useCallback(
    (change: (media: readonly ChosenMedium[]) => readonly ChosenMedium[]) =>
      setDraft((before) => ({ ...before, media: change(before.media) })),
    [],
  );
  return (
    <div class="form">
      <header class="bar">
        <h1>New job</h1>
      </header>
      <MediaChoice media={draft.media} change={changeMedia} />
      <PipelineChoice draft={draft} change={setDraft} />
      <More draft={draft} change={setDraft} />
      <Start draft={draft} />
    </div>
  );
}

type ChangeDraft = (change: (draft: Draft) => Draft) => void;

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
      <h2>Pipeline</h2>
      <Shown of={pipelines}>
        {(all) => (
          <label>
            <span class="unseen">Pipeline</span>
            <select
              value={pipelineName}
              onChange={({ currentTarget: { value } }) =>
                change((before) => ({ ...before, pipelineName: value, properties: {} }))
              }
            >
              <option value="">Choose one …</option>
              {all.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
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

function More({ draft, change }: { readonly draft: Draft; readonly change: ChangeDraft }) {
  return (
    <section class="line">
      <label>
        <span>Priority</span>
        <select
          value={draft.priority}
          onChange={({ currentTarget: { value } }) => change((before) => ({ ...before, priority: value }))}
        >
          <option value="">as usual</option>
          {Array.from({ length: 10 }, (_, n) => (
            <option key={n} value={n}>
              {n === 0 ? '0, lowest' : n === 9 ? '9, highest' : n}
            </option>
          ))}
        </select>
      </label>
      <label class="grow">
        <span>Your own id for it</span>
        <input
          type="text"
          value={draft.externalId}
          onInput={({ currentTarget: { value } }) => change((before) => ({ ...before, externalId: value }))}
        />
      </label>
    </section>
  );
}

interface Created {
  readonly jobId: string;
}
interface DryRun {
  readonly coreResponse: { readonly message: string | null };
  readonly media: readonly { readonly mediaUri: string; readonly problem: string | null }[];
}

function Start({ draft }: { readonly draft: Draft }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [notes, setNotes] = useState<readonly string[]>([]);
  const why = missingOf(draft);
  const request = requestOf(draft);
  const act = async (what: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    setNotes([]);
    await what().catch((error: unknown) => setProblem((error as Error).message));
    setBusy(false);
  };
  const check = async () => {
    const { coreResponse, media } = await send<DryRun>('POST', 'rest/jobs', request, { dryRun: true });
    const problems = media.flatMap(({ mediaUri, problem: one }) =>
      one === null ? [] : [`${mediaUri}: ${one}`],
    );
    const found = [...problems, ...(coreResponse.message?.split('\n') ?? [])];
    setNotes(found.length > 0 ? found : ['The job can be started. Its media are looked at when it runs.']);
  };
  const start = async () => {
    const { jobId } = await send<Created>('POST', 'rest/jobs', request);
    go(hrefOf(['jobs', jobId]));
  };
  return (
    <section>
      {why !== undefined && <p class="hint">{why}</p>}
      <p>
        <button
          type="button"
          class="primary"
          disabled={busy || why !== undefined}
          onClick={() => void act(start)}
        >
          Start the job
        </button>{' '}
        <button type="button" disabled={busy || why !== undefined} onClick={() => void act(check)}>
          Check it only
        </button>
      </p>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {notes.map((note) => (
        <p key={note} role="status">
          {note}
        </p>
      ))}
      <details>
        <summary>The same with curl</summary>
        <pre>{curlLine(urlOf('rest/jobs'), request)}</pre>
      </details>
    </section>
  );
}
