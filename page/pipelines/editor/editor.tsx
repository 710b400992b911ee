import { useMemo, useState } from 'preact/hooks';
import { get, send } from '../../kit/api.ts';
import { useLoaded } from '../../kit/load.ts';
import { Problem, Shown } from '../../kit/parts.tsx';
import { go, hrefOf } from '../../kit/route.ts';
import { choicesOf, sharedProperties, wholePipeline } from '../whole-pipeline.ts';
import type { Action, Algorithm, Choices, Pipeline, Task } from '../types.ts';
import { ActionPanel } from './action-panel.tsx';
import {
  actionOf,
  draftOf,
  EMPTY_DRAFT,
  findAction,
  moveTask,
  withAction,
  withoutAction,
  withoutTask,
  withProperty,
  withTask,
  type PipelineDraft,
} from './draft.ts';
import { Graph, type GraphActions } from './graph.tsx';
import { Offer } from './offer.tsx';
import { postsOf } from './requests.ts';
import { Trial } from './trial.tsx';
import { useVerdict, type Verdict } from './validation.ts';
import { TEXT } from '../../kit/text.ts';

/** Elements that the server has stored. */
interface Stock {
  readonly algorithms: ReadonlyMap<string, Algorithm>;
  readonly actions: readonly Action[];
  readonly tasks: ReadonlySet<string>;
  readonly pipelines: ReadonlySet<string>;
  readonly shared: ReadonlySet<string>;
  readonly choices: Choices;
  readonly draft: PipelineDraft;
}

async function loadStock(from: string, signal: AbortSignal): Promise<Stock> {
  const [algorithms, actions, tasks, pipelines, copied, choices] = await Promise.all([
    get<readonly Algorithm[]>('rest/algorithms', {}, signal),
    get<readonly Action[]>('rest/actions', {}, signal),
    get<readonly Task[]>('rest/tasks', {}, signal),
    get<readonly Pipeline[]>('rest/pipelines', {}, signal),
    from === '' ? undefined : wholePipeline(from, signal),
    choicesOf(signal),
  ]);
  return {
    algorithms: new Map(algorithms.map((one) => [one.name, one])),
    actions,
    tasks: new Set(tasks.map(({ name }) => name)),
    pipelines: new Set(pipelines.map(({ name }) => name)),
    shared: sharedProperties(algorithms),
    choices,
    draft: copied === undefined ? EMPTY_DRAFT : draftOf(copied),
  };
}

/** The graph of a new pipeline. `from`: name of the pipeline to copy. Empty: none. */
export function PipelineEditor({ from }: { readonly from: string }) {
  const stock = useLoaded((signal) => loadStock(from, signal), [from]);
  return (
    <Shown of={stock} title={from === '' ? TEXT.pipelines.newPipeline : from}>
      {(known) => (
        <Editor
          stock={known}
          title={from === '' ? TEXT.pipelines.newPipeline : TEXT.pipelines.copyOfAPipeline}
        />
      )}
    </Shown>
  );
}

/** Content of the panel beside the drawing: an action, or the actions to add to a task. Undefined: to a new task. */
type Beside =
  | { readonly kind: 'action'; readonly action: number }
  | { readonly kind: 'offer'; readonly task: number | undefined };

function Editor({ stock, title }: { readonly stock: Stock; readonly title: string }) {
  const [draft, setDraft] = useState(stock.draft);
  const [beside, setBeside] = useState<Beside | undefined>(
    stock.draft.tasks.length === 0 ? { kind: 'offer', task: undefined } : undefined,
  );
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const verdict = useVerdict(draft, stock.pipelines, stock.algorithms);
  const save = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const actions = new Set(stock.actions.map(({ name }) => name));
      const posts = postsOf(draft, { actions, tasks: stock.tasks });
      for (const { path, body } of posts) await send('POST', path, body);
      go(hrefOf(['pipelines', posts.at(-1)!.body.name]));
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <div class="pipeline-editor">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (verdict?.kind === 'ready') void save();
        }}
      >
        <header class="bar">
          <h1>{title}</h1>
          <button type="submit" class="primary" disabled={isBusy || verdict?.kind !== 'ready'}>
            {TEXT.pipelines.savePipeline}
          </button>
        </header>
        {problem !== undefined && <Problem>{problem}</Problem>}
        <NameFields draft={draft} change={setDraft} />
      </form>
      <VerdictLine of={verdict} />
      <div class="editor">
        <Drawing
          stock={stock}
          draft={draft}
          setDraft={setDraft}
          beside={beside}
          setBeside={setBeside}
          wrong={verdict?.action}
        />
        {draft.tasks.length > 0 && <Trial draft={draft} />}
      </div>
    </div>
  );
}

function NameFields({
  draft,
  change,
}: {
  readonly draft: PipelineDraft;
  readonly change: (draft: PipelineDraft) => void;
}) {
  return (
    <div class="line">
      <label class="grow">
        <span>{TEXT.common.name}</span>
        <input
          type="text"
          value={draft.name}
          maxLength={200}
          placeholder={TEXT.pipelines.nameExample}
          onInput={({ currentTarget }) => change({ ...draft, name: currentTarget.value })}
        />
      </label>
      <label class="grow wide">
        <span>{TEXT.pipelines.whatItDoesOptional}</span>
        <input
          type="text"
          value={draft.description}
          onInput={({ currentTarget }) => change({ ...draft, description: currentTarget.value })}
        />
      </label>
    </div>
  );
}

/** Shows if the server would accept the pipeline, also to screen readers. */
function VerdictLine({ of: verdict }: { readonly of: Verdict | undefined }) {
  return (
    <div class="verdict" role="status">
      {verdict === undefined && <p class="hint">{TEXT.pipelines.checking}</p>}
      {verdict?.kind === 'ready' && <p class="status good">{TEXT.pipelines.theServerAcceptsThisPipeline}</p>}
      {verdict?.notes.map((note) => (
        <p key={note} class={verdict.kind === 'wrong' ? 'status bad' : 'hint'}>
          {note}
        </p>
      ))}
    </div>
  );
}

function Drawing({
  stock,
  draft,
  setDraft,
  beside,
  setBeside,
  wrong,
}: {
  readonly stock: Stock;
  readonly draft: PipelineDraft;
  readonly setDraft: (change: (draft: PipelineDraft) => PipelineDraft) => void;
  readonly beside: Beside | undefined;
  readonly setBeside: (beside: Beside | undefined) => void;
  readonly wrong: number | undefined;
}) {
  const add = (stored: Action, task: number | undefined) => {
    const action = actionOf(stored);
    setDraft((before) => (task === undefined ? withTask(before, action) : withAction(before, task, action)));
    setBeside({ kind: 'action', action: action.key });
  };
  const on = useMemo<GraphActions>(
    () => ({
      select: (action) => setBeside({ kind: 'action', action }),
      offer: (task) => setBeside({ kind: 'offer', task }),
      move: (task, to) => setDraft((before) => moveTask(before, task, to)),
      removeTask: (task) => setDraft((before) => withoutTask(before, task)),
      removeAction: (action) => setDraft((before) => withoutAction(before, action)),
      drop: (name, task) => {
        const stored = stock.actions.find((one) => one.name === name);
        if (stored !== undefined) add(stored, task);
      },
    }),
    [stock],
  );
  const selected = beside?.kind === 'action' ? findAction(draft, beside.action) : undefined;
  const place = beside?.kind === 'offer' ? draft.tasks.findIndex(({ key }) => key === beside.task) : -1;
  return (
    <>
      <Graph draft={draft} selected={selected?.key} wrong={wrong} on={on} />
      {beside?.kind === 'offer' && (
        <Offer
          actions={stock.actions}
          title={place === -1 ? TEXT.pipelines.actionOfANewTask : TEXT.pipelines.actionOfTask(place + 1)}
          add={(action) => add(action, place === -1 ? undefined : beside.task)}
          close={() => setBeside(undefined)}
        />
      )}
      {selected !== undefined && (
        <ActionPanel
          key={selected.key}
          action={selected}
          algorithm={stock.algorithms.get(selected.algorithm)}
          shared={stock.shared}
          choices={stock.choices[selected.algorithm] ?? {}}
          change={(name, value) => setDraft((before) => withProperty(before, selected.key, name, value))}
          close={() => setBeside(undefined)}
        />
      )}
    </>
  );
}
