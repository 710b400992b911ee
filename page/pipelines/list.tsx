import { elementTitle } from '../kit/format.ts';
import { useState } from 'preact/hooks';
import { get } from '../kit/api.ts';
import { Icon } from '../kit/icons.tsx';
import { useLoaded } from '../kit/load.ts';
import { Problem, Risky, Shown } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { CheckField } from '../kit/selection/check-field.tsx';
import { useSelection } from '../kit/selection/use-selection.ts';
import { PipelineBar } from './pipeline-bar.tsx';
import { PipelineDrawing } from './pipeline-drawing.tsx';
import { removePipeline } from './removal.ts';
import { pipelineIcon } from './element-icons.ts';
import { wholePipeline } from './whole-pipeline.ts';
import type { Pipeline } from './types.ts';
import { TEXT } from '../kit/text.ts';

const DETAILS = { details: true };

const pipelinesWithDetails = async (signal: AbortSignal): Promise<readonly Pipeline[]> =>
  (await get<readonly Pipeline[]>('rest/pipelines', DETAILS, signal)).toSorted((a, b) =>
    elementTitle(a.name) < elementTitle(b.name) ? -1 : 1,
  );

/** All pipelines, with titles in plain words. */
export function PipelineList() {
  const pipelines = useLoaded(pipelinesWithDetails, []);
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const fits = ({ name, description }: Pipeline) => `${name} ${description}`.toLowerCase().includes(wanted);
  const shown = (pipelines.value ?? []).filter(fits);
  const selection = useSelection(shown.map(({ name }) => ({ key: name, id: name })));
  return (
    <>
      <header class="bar">
        <h1>{TEXT.common.pipelines}</h1>
        <a class="button primary" href={hrefOf(['pipelines', 'new'])}>
          <Icon name="plus" /> {TEXT.pipelines.newPipeline}
        </a>
      </header>
      <label class="search-field">
        <span class="unseen">{TEXT.pipelines.findAPipeline}</span>
        <input
          type="search"
          placeholder={TEXT.pipelines.findAPipeline}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <PipelineBar of={selection} pipelines={shown} onEnd={pipelines.again} />
      <Shown of={pipelines}>
        {() =>
          shown.length === 0 ? (
            <div class="empty">
              <h2>{TEXT.pipelines.noPipelineContainsTheseWords}</h2>
              <p>
                <button type="button" class="plain" onClick={() => setText('')}>
                  {TEXT.pipelines.showAllPipelines}
                </button>{' '}
                {TEXT.common.or} <a href={hrefOf(['pipelines', 'new'])}>{TEXT.pipelines.makeANewOne}</a>.
              </p>
            </div>
          ) : (
            <div {...selection.list}>
              <ul class="card-grid pipelines">
                {shown.map((one) => (
                  <li key={one.name} class="item">
                    <PipelineCard of={one} />
                    <CheckField
                      of={selection}
                      place={one.name}
                      label={TEXT.kit.select(elementTitle(one.name))}
                    />
                  </li>
                ))}
              </ul>
            </div>
          )
        }
      </Shown>
    </>
  );
}

function PipelineCard({ of: { name, description, tasks, warnings = [] } }: { readonly of: Pipeline }) {
  return (
    <a class="card" href={hrefOf(['pipelines', name])}>
      <Icon name={pipelineIcon(name, tasks)} size={22} />
      <span>
        <strong>{elementTitle(name)}</strong>
        <small>{description}</small>
        {tasks.length > 1 && <small class="steps">{tasks.map(elementTitle).join(' → ')}</small>}
        {warnings.length > 0 && <small class="status warn">{TEXT.pipelines.cannotRunNow}</small>}
      </span>
    </a>
  );
}

/** One pipeline as a drawing, with its actions. */
export function PipelineView({ name }: { readonly name: string }) {
  const whole = useLoaded((signal) => wholePipeline(name, signal, DETAILS), [name]);
  return (
    <Shown of={whole} title={name}>
      {(one) => {
        const { pipeline } = one;
        return (
          <>
            <header class="bar">
              <div>
                <a class="up" href={hrefOf(['pipelines'])}>
                  <Icon name="back" size={16} /> {TEXT.common.pipelines}
                </a>
                <h1>{elementTitle(pipeline.name)}</h1>
                <p class="hint">
                  <code>{pipeline.name}</code>
                </p>
              </div>
              <span class="buttons">
                <a class="button primary" href={hrefOf(['new'], { pipeline: pipeline.name })}>
                  {TEXT.pipelines.newJobWithIt}
                </a>
                <a class="button" href={hrefOf(['pipelines', 'new'], { from: pipeline.name })}>
                  {TEXT.pipelines.copyAndChange}
                </a>
                {pipeline.removable === true && (
                  <Risky
                    ask={TEXT.pipelines.deleteJobsThatHaveBegun(pipeline.name)}
                    act={async () => {
                      await removePipeline(one);
                      go(hrefOf(['pipelines']));
                    }}
                  >
                    {TEXT.common.delete}
                  </Risky>
                )}
              </span>
            </header>
            <p>{pipeline.description}</p>
            {(pipeline.warnings ?? []).map((warning) => (
              <Problem key={warning}>{warning}</Problem>
            ))}
            <PipelineDrawing of={one} />
            <p>
              <a href={hrefOf(['jobs'], { pipelineName: pipeline.name })}>{TEXT.pipelines.itsJobs}</a>
            </p>
          </>
        );
      }}
    </Shown>
  );
}
