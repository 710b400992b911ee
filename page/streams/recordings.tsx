import { useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { bytes, moment } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';
import type { RecordingList } from './types.ts';
import { ClipDialog } from './zones/clip.tsx';

/** Interval at which the list of a live camera is requested again: milliseconds. */
const AGAIN_MS = 10_000;
/** Maximum number of stretches listed. */
const MOST_STRETCHES = 50;
const MINUTE_MS = 60_000;
/** Offered lengths of a clip: minutes. */
const LENGTHS = [1, 5, 15, 60];

interface ShownClip {
  readonly from: number;
  readonly to: number;
}

/** The recordings of a camera, and a clip of any time. */
export function Recording({ path, isLive }: { readonly path: string; readonly isLive: boolean }) {
  const list = useGet<RecordingList>(`${path}/recordings`, {}, isLive ? AGAIN_MS : undefined);
  const [shown, setShown] = useState<ShownClip>();
  return (
    <section aria-label={TEXT.streams.recording}>
      <h2>{TEXT.streams.recording}</h2>
      <Shown of={list}>{(recorded) => <Stretches of={recorded} show={setShown} />}</Shown>
      {shown !== undefined && (
        <ClipDialog
          title={TEXT.streams.clipOf(moment(new Date(shown.from).toISOString()))}
          source={clipUrl(path, shown)}
          readyAt={0}
          close={() => setShown(undefined)}
        />
      )}
    </section>
  );
}

function Stretches({
  of: { stretches, bytes: size },
  show,
}: {
  readonly of: RecordingList;
  readonly show: (shown: ShownClip) => void;
}) {
  const last = stretches.at(-1);
  if (last === undefined) return <p class="hint">{TEXT.streams.nothingIsRecordedYet}</p>;
  return (
    <>
      <ClipForm last={Date.parse(last.stopTime)} show={show} />
      <ul class="stretches">
        {stretches
          .slice(-MOST_STRETCHES)
          .toReversed()
          .map(({ startTime, stopTime }) => (
            <li key={startTime}>{TEXT.streams.stretch(moment(startTime), moment(stopTime))}</li>
          ))}
      </ul>
      <p class="hint">{TEXT.streams.recordedBytes(bytes(size))}</p>
    </>
  );
}

/** `last`: end of the recording, in milliseconds since the epoch. */
function ClipForm({ last, show }: { readonly last: number; readonly show: (shown: ShownClip) => void }) {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const from = Date.parse(form.get('from') as string);
    if (!Number.isNaN(from)) show({ from, to: from + Number(form.get('minutes')) * MINUTE_MS });
  };
  return (
    <form class="line" onSubmit={onSubmit}>
      <label>
        <span>{TEXT.streams.clipFrom}</span>
        <input
          name="from"
          type="datetime-local"
          step="1"
          required
          defaultValue={localTime(last - MINUTE_MS)}
        />
      </label>
      <label>
        <span>{TEXT.streams.clipMinutes}</span>
        <select name="minutes">
          {LENGTHS.map((minutes) => (
            <option key={minutes} value={minutes}>
              {minutes}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">{TEXT.streams.playClip}</button>
    </form>
  );
}

/** Returns a time for an input field of date and time, which has no time zone. */
function localTime(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 19);
}

export const clipUrl = (path: string, { from, to }: ShownClip) =>
  urlOf(`${path}/recordings/clip.mp4`, {
    start: new Date(from).toISOString(),
    stop: new Date(to).toISOString(),
  });
