import { useEffect, useRef, useState } from 'preact/hooks';
import { useEvents } from '../kit/events.ts';
import { moment, words } from '../kit/format.ts';
import { Icon } from '../kit/icons.tsx';
import { useGet } from '../kit/load.ts';
import { Connection, Shown, Status } from '../kit/parts.tsx';
import { go, hrefOf } from '../kit/route.ts';
import { pipelineTitle } from '../new/goals.ts';
import { AtTime } from './at-time.tsx';
import { LiveView } from './live-view.tsx';
import { draftOf, type Draft } from './zones/draft.ts';
import { ZoneCanvas, ZonePanel } from './zones/editor.tsx';
import { EventList, withEvents } from './zones/events.tsx';
import { ZoneOverlay } from './zones/overlay.tsx';
import { saveZones } from './zones/save-zones.ts';
import type { ZoneEvent } from './zones/types.ts';
import { CountsPerHour } from './hourly-counts.tsx';
import { withLine, type LogLine } from './log.ts';
import { Recording } from './recordings.tsx';
import { StreamButtons, StreamFacts } from './stream-facts.tsx';
import {
  cameraName,
  isOver,
  isRecorded,
  type Reconnecting,
  type StreamInfo,
  type TrackBegan,
  type TrackEnded,
  type Warned,
} from './types.ts';
import { TEXT } from '../kit/text.ts';

let keys = 0;

interface ViewProps {
  readonly id: string;
  /** A time that is shown: milliseconds since the epoch. */
  readonly at: number | undefined;
}

/** One camera: its newest picture with boxes, and its events. */
export function StreamView({ id, at: shownAt }: ViewProps) {
  const path = `rest/streaming/jobs/${encodeURIComponent(id)}`;
  const info = useGet<StreamInfo>(path, { details: true });
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const log = (text: string, at = Date.now()) =>
    setLines((before) => withLine(before, { key: ++keys, at, text }));
  const { kept, events, setEvents } = useZoneEvents(path);
  const [draft, setDraft] = useState<Draft>();
  /** Names of the tracks in the current picture. */
  const names = useRef(new Map<string, string>());
  const over = info.value === undefined || isOver(info.value);
  const watching = useEvents(
    over ? undefined : `${path}/events`,
    {},
    {
      job: (data) => info.set((before) => ({ ...before, ...(data as StreamInfo) })),
      zoneEvent: (data) => {
        const event = data as ZoneEvent;
        if (isOfZone(event)) setEvents((before) => withEvents(before, [event]));
        info.set((before) => before && withOccupancy(before, event));
      },
      trackBegan: (data) => {
        const track = data as TrackBegan;
        names.current.set(track.liveId, nameOf(track));
        log(TEXT.streams.appears(nameOf(track), sureText(track)), track.at);
      },
      trackEnded: (data) => {
        const { liveId, at } = data as TrackEnded;
        const name = names.current.get(liveId);
        // Without a name, the track began before this page was opened.
        if (name !== undefined) log(TEXT.streams.wentAway(name), at);
        names.current.delete(liveId);
      },
      reconnecting: (data) => {
        const { cause, at } = data as Reconnecting;
        log(TEXT.streams.connectingAgain(cause), at);
      },
      warning: (data) => log((data as Warned).message, (data as Warned).at),
      counts: (data) =>
        info.set((before) =>
          before === undefined
            ? before
            : { ...before, frames: (data as { counts: StreamInfo['frames'] }).counts },
        ),
    },
  );
  // Events before the connection, or while it was broken, are only stored.
  useEffect(() => {
    if (watching.live) kept.again();
  }, [watching.live]);
  return (
    <Shown of={info} title={TEXT.streams.stream(id)}>
      {(stream) => (
        <>
          <header class="bar">
            <div>
              <a class="up" href={hrefOf(['streams'])}>
                <Icon name="back" size={16} /> {TEXT.common.live}
              </a>
              <h1>
                <span class="title">{cameraName(stream.streamUri)}</span>{' '}
                <Status of={stream.jobStatus === 'IN_PROGRESS' ? 'LIVE' : stream.jobStatus} />
              </h1>
              <p class="hint">
                {TEXT.streams.pipelineAndStream(pipelineTitle(stream.pipelineName), stream.jobId)}
              </p>
            </div>
            <span class="actions">
              {!over && draft === undefined && (
                <button type="button" onClick={() => setDraft(draftOf(stream.zones ?? NO_PLAN))}>
                  {TEXT.streams.editZones}
                </button>
              )}{' '}
              <StreamButtons stream={stream} path={path} />
            </span>
          </header>
          {!over && <Connection {...watching} />}
          {stream.jobStatusDetail !== null && <p>{stream.jobStatusDetail}</p>}
          {shownAt !== undefined && (
            <AtTime {...{ id, path, events }} at={shownAt} isRecorded={isRecorded(stream)} isLive={!over} />
          )}
          <div class="beside">
            {!over && (
              <figure class="live">
                <Stage stream={stream} path={path} draft={draft} change={setDraft} />
              </figure>
            )}
            {draft !== undefined && !over ? (
              <ZonePanel
                draft={draft}
                change={setDraft}
                save={async () => go(hrefOf(['streams', await saveZones(stream, draft)]))}
                leave={() => setDraft(undefined)}
              />
            ) : (
              <section class="grow">
                {isRecorded(stream) && <Recording path={path} isLive={!over} />}
                {stream.zones !== undefined && (
                  <>
                    <h2>{TEXT.streams.events}</h2>
                    <Shown of={kept}>
                      {() => (
                        <EventList
                          events={events}
                          path={path}
                          isRecorded={isRecorded(stream)}
                          isLive={!over}
                        />
                      )}
                    </Shown>
                    <CountsPerHour
                      path={path}
                      {...(stream.endDate !== null && { endedAt: Date.parse(stream.endDate) })}
                    />
                  </>
                )}
                <h2>{TEXT.streams.log}</h2>
                {lines.length === 0 && !over && <p class="hint">{TEXT.streams.nothingHasHappenedYet}</p>}
                <Log of={lines} />
                <StreamFacts stream={stream} />
              </section>
            )}
          </div>
        </>
      )}
    </Shown>
  );
}

/** Events that are shown in the log instead. */
const OF_TRACKS: ReadonlySet<string> = new Set(['trackBegan', 'trackEnded', 'classChanged']);
const isOfZone = ({ event }: ZoneEvent) => !OF_TRACKS.has(event);

const NO_PLAN = { zones: [], lines: [], rules: [] } as const;

/** Returns the stored events and new ones. */
function useZoneEvents(path: string) {
  const [events, setEvents] = useState<readonly ZoneEvent[]>([]);
  const kept = useGet<{ readonly events: readonly ZoneEvent[] }>(`${path}/zone-events`);
  useEffect(() => {
    if (kept.value !== undefined)
      setEvents((before) => withEvents(before, kept.value?.events.filter(isOfZone) ?? []));
  }, [kept.value]);
  return { kept, events, setEvents };
}

/** Returns the stream with the new occupancy of a zone after an event. */
function withOccupancy(stream: StreamInfo, { zone, occupancy }: ZoneEvent): StreamInfo {
  if (zone === undefined || occupancy === undefined || stream.zones === undefined) return stream;
  return {
    ...stream,
    zones: { ...stream.zones, occupancy: { ...stream.zones.occupancy, [zone]: occupancy } },
  };
}

/** The picture of the camera, with its zones or those that are being edited. */
function Stage({
  stream,
  path,
  draft,
  change,
}: {
  readonly stream: StreamInfo;
  readonly path: string;
  readonly draft: Draft | undefined;
  readonly change: (draft: Draft) => void;
}) {
  const picture = <LiveView path={path} />;
  if (draft !== undefined)
    return (
      <ZoneCanvas draft={draft} change={change}>
        {picture}
      </ZoneCanvas>
    );
  return (
    <div class="zone-canvas">
      {picture}
      {stream.zones !== undefined && (
        <ZoneOverlay shapes={draftOf(stream.zones).shapes} occupancy={stream.zones.occupancy} />
      )}
    </div>
  );
}

function Log({ of: lines }: { readonly of: readonly LogLine[] }) {
  return (
    <ol class="log" reversed aria-label={TEXT.streams.whatHappens} aria-live="polite">
      {lines.map(({ key, at, text }) => (
        <li key={key}>
          <time>{moment(new Date(at).toISOString())}</time> {text}
        </li>
      ))}
    </ol>
  );
}

/** Returns a name such as `Person` from the class, else one such as `Face` from the type. */
function nameOf({ trackType, properties }: TrackBegan): string {
  const what = Object.values(properties).slice(0, 2).join(', ');
  return words(what === '' ? (trackType ?? TEXT.streams.track) : what);
}

const sureText = ({ confidence }: TrackBegan): string =>
  confidence >= 0 ? ` (${Math.round(confidence * 100)} %)` : '';
