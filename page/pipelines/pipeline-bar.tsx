/** Actions on the pipelines that are selected in the list. */
import { useState } from 'preact/hooks';
import { countText, elementTitle } from '../kit/format.ts';
import { Problem } from '../kit/parts.tsx';
import { BarButton, SelectionBar } from '../kit/selection/bar.tsx';
import { useBulk } from '../kit/selection/bulk.tsx';
import { saveFile } from '../kit/selection/save-file.ts';
import type { Selection } from '../kit/selection/use-selection.ts';
import { TEXT } from '../kit/text.ts';
import { exportOf } from './pipeline-export.ts';
import { removePipeline } from './removal.ts';
import type { Pipeline } from './types.ts';
import { wholePipeline } from './whole-pipeline.ts';

export function PipelineBar({
  of: selection,
  pipelines,
  onEnd,
}: {
  readonly of: Selection;
  readonly pipelines: readonly Pipeline[];
  readonly onEnd: () => void;
}) {
  const nameOf = ({ name }: Pipeline) => elementTitle(name);
  const { run, isBusy, outcome, dismiss } = useBulk({ nameOf, one: TEXT.pipelines.pipeline }, onEnd);
  const [problem, setProblem] = useState<string>();
  const chosen = pipelines.filter(({ name }) => selection.has(name));
  const own = chosen.filter(isOwn);
  const total = (some: readonly Pipeline[]) => countText(some.length, TEXT.pipelines.pipeline);
  const exportAll = () => {
    setProblem(undefined);
    exportOf(chosen).then(
      (all) => saveFile('pipelines.json', 'application/json', `${JSON.stringify(all, null, 2)}\n`),
      (error: unknown) => setProblem((error as Error).message),
    );
  };
  return (
    <SelectionBar
      of={selection}
      label={TEXT.pipelines.selectedPipelines}
      text={TEXT.kit.selected(total(chosen))}
      outcome={problem === undefined ? outcome : <Problem again={exportAll}>{problem}</Problem>}
      dismiss={() => (dismiss(), setProblem(undefined))}
    >
      <BarButton icon="download" text={TEXT.kit.export} act={exportAll} />
      <BarButton
        icon="delete"
        text={TEXT.common.delete}
        isDisabled={isBusy}
        act={() =>
          run(
            {
              ask: own.length === 0 ? undefined : TEXT.pipelines.deleteThem(total(own)),
              refuse: (one) => (isOwn(one) ? undefined : TEXT.pipelines.isBuiltIn),
              act: removeByName,
            },
            chosen,
          )
        }
      />
    </SelectionBar>
  );
}

/** True if a user, not a component, created the pipeline. */
const isOwn = ({ component }: Pipeline) => component == null;

async function removeByName({ name }: Pipeline): Promise<void> {
  await removePipeline(await wholePipeline(name, new AbortController().signal));
}
