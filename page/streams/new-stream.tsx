import { useState } from 'preact/hooks';
import { get, send } from '../kit/api.ts';
import { Icon } from '../kit/icons.tsx';
import { useLoaded } from '../kit/load.ts';
import { pipelineTitle } from '../new/goals.ts';
import { Problem } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import type { Pipeline } from '../pipelines/types.ts';
import { TEXT } from '../kit/text.ts';

const liveNames = async (signal: AbortSignal): Promise<readonly string[]> =>
  (await get<readonly Pipeline[]>('rest/streaming/pipelines', {}, signal)).map(({ name }) => name);

/** Number of frames between two reports of a stream. */
export const SEGMENT_FRAMES = 250;
/** Maximum number of days for which pictures are kept. */
const MOST_DAYS = 3_650;
/** Default pipeline. */
const FIRST = 'OBJECT DETECTION PIPELINE';

/** The form that starts a pipeline on a camera. */
export function NewStream() {
  const names = useLoaded(liveNames, []);
  const [problem, setProblem] = useState<string>();
  const start = async (form: FormData) => {
    setProblem(undefined);
    const text = (name: string) => form.get(name) as string;
    const days = text('days');
    try {
      const { jobId } = await send<{ jobId: number }>('POST', 'rest/streaming/jobs', {
        enableOutputToDisk: true,
        stream: {
          streamUri: text('uri').trim(),
          segmentSize: SEGMENT_FRAMES,
          ...(days !== '' && { recording: { days: Number(days) } }),
        },
        stallTimeout: -1,
        pipelineName: text('pipeline'),
      });
      go(hrefOf(['streams', jobId]));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <div class="camera">
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault();
          void start(new FormData(event.currentTarget));
        }}
      >
        <label class="grow">
          <span>{TEXT.streams.cameraAddress}</span>
          <input name="uri" type="text" required placeholder={TEXT.streams.cameraExample} />
        </label>
        <label>
          <span>{TEXT.streams.whatToLookFor}</span>
          <select name="pipeline" required value={names.value?.includes(FIRST) === true ? FIRST : undefined}>
            {(names.value ?? []).map((name) => (
              <option key={name} value={name}>
                {pipelineTitle(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{TEXT.streams.recordDays}</span>
          <input name="days" type="number" min={1} max={MOST_DAYS} placeholder={TEXT.streams.recordNothing} />
        </label>
        <button type="submit" class="primary">
          <Icon name="live" /> {TEXT.streams.watch}
        </button>
      </form>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  );
}
