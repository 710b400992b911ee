import { useState } from 'preact/hooks';
import { send } from '../kit/api.ts';
import { useLoaded } from '../kit/load.ts';
import { Problem, Risky, Shown, Table } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { isAdmin, type Session } from '../kit/session.ts';
import { postsForCopy, type Values } from './copy.ts';
import { PipelineDrawing, Properties } from './pipeline-drawing.tsx';
import { pipelineNames, wholePipeline, type WholePipeline } from './whole-pipeline.ts';

/** All pipelines. */
export function PipelineList() {
  const pipelines = useLoaded((signal) => pipelineNames(signal), []);
  return (
    <>
      <header class="bar">
        <h1>Pipelines</h1>
      </header>
      <Shown of={pipelines}>
        {(all) => (
          <Table columns={['Pipeline', 'What it does', 'Tasks']}>
            {all.map(({ name, description, tasks }) => (
              <tr key={name}>
                <th scope="row">
                  <a href={hrefOf(['pipelines', name])}>{name}</a>
                </th>
                <td data-label="Does">{description}</td>
                <td data-label="Tasks">{tasks.join(' → ')}</td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </>
  );
}

/** One pipeline, drawn, with what can be done with it. */
export function PipelineView({ name, session }: { readonly name: string; readonly session: Session }) {
  const whole = useLoaded((signal) => wholePipeline(name, signal), [name]);
  return (
    <Shown of={whole} title={name}>
      {(one) => (
        <>
          <header class="bar">
            <h1>{one.pipeline.name}</h1>
            <span class="actions">
              <a class="button primary" href={hrefOf(['new'], { pipeline: one.pipeline.name })}>
                New job with it
              </a>{' '}
              {isAdmin(session) && (
                <Risky
                  ask={`Delete ${one.pipeline.name}? Its tasks and actions stay.`}
                  act={async () => {
                    await send('DELETE', `rest/pipelines/${encodeURIComponent(name)}`);
                    go(hrefOf(['pipelines']));
                  }}
                >
                  Delete
                </Risky>
              )}
            </span>
          </header>
          <p>{one.pipeline.description}</p>
          <PipelineDrawing of={one} />
          <p>
            <a href={hrefOf(['jobs'], { pipelineName: one.pipeline.name })}>Its jobs</a>
          </p>
          {isAdmin(session) && <CopyForm of={one} key={name} />}
        </>
      )}
    </Shown>
  );
}

/** The same pipeline under another name, with other values. */
function CopyForm({ of }: { readonly of: WholePipeline }) {
  const [name, setName] = useState(`MY ${of.pipeline.name}`);
  const [values, setValues] = useState<Values>({});
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    setProblem(undefined);
    try {
      for (const { path, body } of postsForCopy(of, name, values)) await send('POST', path, body);
      go(hrefOf(['pipelines', name.trim().toUpperCase()]));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <details class="form">
      <summary>Copy and change</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="line">
          <label class="grow">
            <span>Name of the copy</span>
            <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </label>
          <button type="submit" class="primary">
            Save the copy
          </button>
        </div>
        {problem !== undefined && <Problem>{problem}</Problem>}
        <Properties
          of={of}
          values={values}
          change={(algorithm, property, value) =>
            setValues((before) => ({ ...before, [algorithm]: { ...before[algorithm], [property]: value } }))
          }
        />
      </form>
    </details>
  );
}
