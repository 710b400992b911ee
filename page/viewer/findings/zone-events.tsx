import { count, timeText } from '../../kit/format.ts';
import { useGet } from '../../kit/load.ts';
import { Shown } from '../../kit/parts.tsx';
import { TEXT } from '../../kit/text.ts';
import { sentenceOf, type HappenedEvent, type MediumZoneRun } from '../../kit/zones/sentence.ts';
import type { Medium } from '../../kit/findings/types.ts';

/** The events in the zones of the job. A click moves to the frame of an event. */
export function ZoneEvents({
  base,
  medium: { mediaType },
  positionMs,
  open,
}: {
  readonly base: string;
  readonly medium: Medium;
  readonly positionMs: number;
  readonly open: (event: HappenedEvent) => void;
}) {
  const run = useGet<MediumZoneRun>(`${base}/zone-events`);
  const isVideo = mediaType === 'VIDEO';
  return (
    <section class="job-events" aria-label={TEXT.viewer.zoneEvents}>
      <Shown of={run}>
        {({ events, omitted }) =>
          events.length === 0 ? (
            <p class="hint">{TEXT.viewer.nothingInTheZones}</p>
          ) : (
            <>
              <ol>
                {events.map((event, n) => (
                  <li key={n} class={event.event === 'rule' ? 'alert' : ''}>
                    <button
                      type="button"
                      aria-current={isVideo && isNow(event, positionMs) ? 'time' : undefined}
                      onClick={() => open(event)}
                    >
                      {isVideo && <time>{timeText(event.at)}</time>}
                      <span class="grow">{sentenceOf(event)}</span>
                      {isVideo && <small>{TEXT.viewer.frame(count(event.frame))}</small>}
                    </button>
                  </li>
                ))}
              </ol>
              {omitted > 0 && <p class="hint">{TEXT.viewer.moreZoneEvents(count(omitted))}</p>}
            </>
          )
        }
      </Shown>
    </section>
  );
}

/** Length of time in which an event counts as shown: milliseconds. */
const NOW_MS = 100;
const isNow = ({ at }: HappenedEvent, positionMs: number) => Math.abs(at - positionMs) < NOW_MS;
