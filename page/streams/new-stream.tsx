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
    try {
      const { jobId } = await send<{ jobId: number }>('POST', 'rest/streaming/jobs', requestOf(form));
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
        <MoreFields />
      </form>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </div>
  );
}

function requestOf(form: FormData): object {
  const text = (name: string) => (form.get(name) as string).trim();
  const [days, recorded] = [text('days'), text('recorded')];
  const [webhook, broker] = [text('webhook'), text('broker')];
  return {
    enableOutputToDisk: true,
    stream: {
      streamUri: text('uri'),
      segmentSize: SEGMENT_FRAMES,
      ...((days !== '' || recorded !== '') && {
        recording: {
          ...(days !== '' && { days: Number(days) }),
          ...(recorded !== '' && { streamUri: recorded }),
        },
      }),
    },
    stallTimeout: -1,
    pipelineName: text('pipeline'),
    ...((webhook !== '' || broker !== '') && {
      events: {
        ...(webhook !== '' && { callbackUri: webhook }),
        ...(broker !== '' && { mqtt: { url: broker } }),
      },
    }),
  };
}

/** Fields that few cameras need. The server checks their addresses, because a browser cannot show its message at a hidden field. */
function MoreFields() {
  return (
    <details class="more-fields">
      <summary>{TEXT.streams.more}</summary>
      <div class="line">
        <label class="grow">
          <span>{TEXT.streams.recordedAddress}</span>
          <input name="recorded" type="text" inputMode="url" placeholder={TEXT.streams.recordedExample} />
        </label>
        <label class="grow">
          <span>{TEXT.streams.webhook}</span>
          <input name="webhook" type="text" inputMode="url" placeholder={TEXT.streams.webhookExample} />
        </label>
        <label class="grow">
          <span>{TEXT.streams.broker}</span>
          <input name="broker" type="text" inputMode="url" placeholder={TEXT.streams.brokerExample} />
        </label>
      </div>
      <p class="hint">{TEXT.streams.whatReceiversGet}</p>
    </details>
  );
}
