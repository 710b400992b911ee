import { get } from '../kit/api.ts';
import { dateText } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';
import { clipUrl } from './recordings.tsx';
import type { RecordingList } from './types.ts';
import { ClipVideo } from './zones/clip.tsx';
import { EventList } from './zones/events.tsx';
import type { ZoneEvent } from './zones/types.ts';

/** Length of the clip before and after the time: milliseconds. */
const [BEFORE_MS, AFTER_MS] = [3_000, 7_000];
/** Time until pictures are in the recording: milliseconds. */
const RECORDED_MS = 10_000;
/** Events that are at most so far from the time are shown: milliseconds. */
const NEAR_MS = 60_000;
const NOTHING: RecordingList = { bytes: 0, stretches: [] };

interface TimeProps {
  readonly id: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly isRecorded: boolean;
  readonly isLive: boolean;
  readonly events: readonly ZoneEvent[];
}

/** What a camera saw at a time: its recording, otherwise its events. */
export function AtTime({ id, path, at, isRecorded, isLive, events }: TimeProps) {
  const span = { from: at - BEFORE_MS, to: at + AFTER_MS };
  const [start, stop] = [span.from, span.to].map((time) => new Date(time).toISOString());
  const list = useLoaded<RecordingList>(
    (signal) => (isRecorded ? get(`${path}/recordings`, { start, stop }, signal) : Promise.resolve(NOTHING)),
    [path, at, isRecorded],
  );
  const title = TEXT.streams.atTime(dateText(new Date(at).toISOString()));
  const near = events.filter((event) => Math.abs(event.at - at) <= NEAR_MS);
  return (
    <section class="at-time" aria-label={title}>
      <h2>
        {title} <a href={hrefOf(['streams', id])}>{TEXT.streams.backToNow}</a>
      </h2>
      <Shown of={list}>
        {({ stretches }) =>
          stretches.length > 0 ? (
            <ClipVideo source={clipUrl(path, span)} readyAt={isLive ? span.to + RECORDED_MS : 0} />
          ) : (
            <>
              <p class="hint">{near.length > 0 ? TEXT.streams.onlyEvents : TEXT.streams.nothingOfThatTime}</p>
              {near.length > 0 && <EventList {...{ path, isLive }} events={near} isRecorded={false} />}
            </>
          )
        }
      </Shown>
    </section>
  );
}
