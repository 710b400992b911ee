import { useEffect, useState } from 'preact/hooks';
import { urlOf } from '../../kit/api.ts';
import { dateText } from '../../kit/format.ts';
import { Icon } from '../../kit/icons.tsx';
import { TEXT } from '../../kit/text.ts';
import { sentenceOf } from '../../kit/zones/sentence.ts';
import { ClipDialog } from './clip.tsx';
import type { ZoneEvent } from './types.ts';

/** Maximum number of events shown. */
const MOST_EVENTS = 200;

/** Merges events without duplicates, newest first. */
export function withEvents(known: readonly ZoneEvent[], more: readonly ZoneEvent[]): readonly ZoneEvent[] {
  const byId = new Map([...known, ...more].map((event) => [event.id, event]));
  return [...byId.values()].toSorted((a, b) => b.at - a.at).slice(0, MOST_EVENTS);
}

/** The events in the zones of a camera, with the picture of each box. */
export function EventList({
  events,
  path,
  isRecorded,
  isLive,
}: {
  readonly events: readonly ZoneEvent[];
  readonly path: string;
  readonly isRecorded: boolean;
  readonly isLive: boolean;
}) {
  const [shown, setShown] = useState<ZoneEvent>();
  const [now, setNow] = useState(() => new Date());
  useEffect(() => setNow(new Date()), [events]);
  if (events.length === 0) return <p class="hint">{TEXT.streams.noEventYet}</p>;
  return (
    <>
      {shown !== undefined && (
        <ClipDialog
          title={TEXT.streams.clipOf(sentenceOf(shown))}
          source={clipUrl(path, shown)}
          readyAt={isLive ? shown.at + RECORDED_MS : 0}
          close={() => setShown(undefined)}
        />
      )}
      <ol class="zone-events" reversed aria-label={TEXT.streams.events} aria-live="polite">
        {events.map((event) => (
          <li key={event.id} class={event.event === 'rule' ? 'alert' : ''}>
            {event.crop === undefined ? (
              <span class="crop">
                <Icon name="image" />
              </span>
            ) : (
              <img class="crop" src={event.crop} alt="" />
            )}
            <span class="grow">
              {sentenceOf(event)}
              <small>
                <time dateTime={event.time}>{dateText(event.time, now)}</time>
              </small>
            </span>
            {isRecorded && (
              <button
                type="button"
                aria-label={TEXT.streams.clipOf(sentenceOf(event))}
                onClick={() => setShown(event)}
              >
                {TEXT.streams.clip}
              </button>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Seconds of a clip before and after the event. */
const [BEFORE, AFTER] = [3, 5];
/** Time after an event until its clip is complete: milliseconds. Pictures appear in the recording after up to 10 s. */
const RECORDED_MS = AFTER * 1_000 + 10_000;
/** Maximum time before its event that the clip of a long stay shows: milliseconds. */
const LONGEST_MS = 300_000;

const clipUrl = (path: string, { at, time, since = at }: ZoneEvent) =>
  urlOf(`${path}/recordings/clip.mp4`, {
    start: new Date(Math.max(since, at - LONGEST_MS)).toISOString(),
    stop: time,
    before: BEFORE,
    after: AFTER,
  });
