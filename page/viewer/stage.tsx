import type { ComponentChildren } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { get, urlOf } from '../kit/api.ts';
import { trackHue } from '../kit/colours.ts';
import { clock, timeText } from '../kit/format.ts';
import { useLoaded, type Loaded } from '../kit/load.ts';
import { Problem, Shown } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';
import { ShownHeat, type HeatMap } from './boxes/heat-layer.tsx';
import { storedSize } from '../kit/findings/overlay.ts';
import { Compare, ComparedTo, OTHER_LANE } from './compare.tsx';
import { DocumentText } from './document-text.tsx';
import { ZoneEvents } from './findings/zone-events.tsx';
import type { FrameTable } from './frame-table.ts';
import { PicturePlayer, stillUrl } from './picture.tsx';
import type { Playback } from './playback/control.ts';
import { SoundPlayer } from './playback/sound.tsx';
import { CountsChart } from './timeline/chart.tsx';
import { Lanes } from './timeline/lanes.tsx';
import { pendingStretches } from './timeline/pending-stretches.ts';
import { nameOfTrack, type BoxHue, type Lane, type Medium, type TrackPage } from '../kit/findings/types.ts';
import { onlyLaneOf, type View } from './view.ts';

export interface StageProps {
  readonly job: string;
  readonly base: string;
  readonly medium: Medium;
  /** Progress of a running job. */
  readonly partial: Medium['partial'];
  readonly lanes: readonly Lane[];
  readonly lengthMs: number;
  readonly table: Loaded<FrameTable>;
  readonly tracks: Loaded<TrackPage>;
  readonly view: View;
  readonly playback: Playback;
}

type Panel = 'events' | 'chart' | 'heat' | 'compare';

/** The medium with its boxes, the timeline, and the open panels below them. `keys`: the button that lists the shortcuts. */
export function Stage({ keys, ...props }: StageProps & { readonly keys: ComponentChildren }) {
  const { job, base, medium, lanes, lengthMs, view, tracks, playback } = props;
  const [panels, setPanels] = useState<ReadonlySet<Panel>>(new Set());
  const [other, setOther] = useState<string>();
  const heat = useHeat(base, onlyLaneOf(lanes, view.filter), panels.has('heat'));
  const hasTime = medium.mediaType === 'VIDEO' || medium.mediaType === 'AUDIO';
  const offered: readonly (readonly [Panel, string, boolean])[] = [
    ['events', TEXT.viewer.zoneEvents, medium.zoneEvents !== null],
    ['chart', TEXT.viewer.chart, hasTime],
    ['heat', TEXT.viewer.heatMap, storedSize(medium) !== undefined],
    ['compare', TEXT.viewer.compare, true],
  ];
  return (
    <div class="stage">
      {medium.mediaType === 'AUDIO' && (
        <SoundPlayer
          source={urlOf(base)}
          handle={playback.sound}
          onShown={view.setPosition}
          startMs={view.positionMs}
        />
      )}
      {storedSize(medium) !== undefined && (
        <ComparedTo.Provider value={other}>
          <ShownHeat.Provider value={heat.value}>
            <Picture {...props} />
          </ShownHeat.Provider>
        </ComparedTo.Provider>
      )}
      {medium.mediaType === 'UNKNOWN' && (
        <DocumentText {...{ base, medium, tracks, view }} open={playback.open} />
      )}
      {hasTime && <Timeline {...props} />}
      <div class="below">
        <Where medium={medium} table={props.table.value} positionMs={view.positionMs} />
        <span class="buttons">
          {lanes.length > 0 &&
            offered.map(
              ([name, title, isOffered]) =>
                isOffered && (
                  <Toggle key={name} name={name} panels={panels} set={setPanels}>
                    {title}
                  </Toggle>
                ),
            )}
          {keys}
        </span>
      </div>
      {heat.error !== undefined && <Problem>{heat.error.message}</Problem>}
      {panels.has('events') && medium.zoneEvents !== null && (
        <ZoneEvents {...{ base, medium }} positionMs={view.positionMs} open={playback.openEvent} />
      )}
      {panels.has('compare') && <Compare job={job} medium={medium} base={base} choose={setOther} />}
      {hasTime && panels.has('chart') && <CountsChart base={base} lengthMs={lengthMs} seek={playback.seek} />}
    </div>
  );
}

/** Loads the heat map of a lane, or of all lanes. Loads nothing while it is hidden. */
const useHeat = (base: string, onlyLane: Lane | undefined, isShown: boolean): Loaded<HeatMap | undefined> =>
  useLoaded(
    (signal) =>
      isShown
        ? get<HeatMap>(`${base}/heat-map`, onlyLane === undefined ? {} : { lane: onlyLane.lane }, signal)
        : Promise.resolve(undefined),
    [base, isShown, onlyLane?.lane],
  );

function Picture({ base, medium, lanes, table, tracks, view, playback }: StageProps) {
  // The boxes of an answer are at least as new as the tracks loaded before.
  const revision = JSON.stringify(tracks.value?.partial ?? null);
  const hue = useCallback<BoxHue>(
    (box) => (box.lane === OTHER_LANE ? 'compared' : trackHue(nameOfTrack(lanes, box), box.track)),
    [lanes],
  );
  return (
    <Shown of={table}>
      {(frames) => (
        <PicturePlayer
          base={base}
          medium={medium}
          revision={revision}
          table={frames}
          filter={view.filter}
          hue={hue}
          selected={view.selected}
          select={view.select}
          onShown={playback.onShown}
          firstFrame={frames.nearest(view.startMs)}
          handle={playback.player}
        />
      )}
    </Shown>
  );
}

function Timeline({ base, medium, partial, lanes, lengthMs, table, view, playback }: StageProps) {
  const { filter, setFilter } = view;
  if (lanes.length === 0 && partial === undefined) return null;
  // Frame table of a video with pictures.
  const frames = storedSize(medium) === undefined ? undefined : table.value;
  const progress = lanes.length > 0 ? lanes.map((lane) => lane.partial) : partial?.actions.slice(0, 1);
  const pending = (progress ?? []).map((one) =>
    one === undefined
      ? []
      : pendingStretches(one, lengthMs, (frame) => timeAfter(table.value, frame, lengthMs)),
  );
  return (
    <Lanes
      pending={pending}
      lanes={lanes}
      lengthMs={lengthMs}
      positionMs={view.positionMs}
      span={view.span}
      setSpan={view.setSpan}
      hidden={filter.hidden}
      toggle={(lane) => setFilter({ ...filter, hidden: toggle(filter.hidden, lane) })}
      seek={playback.seek}
      still={frames && ((ms: number) => stillUrl(base, frames.shownAt(ms)))}
    />
  );
}

/** Returns the time of a frame. After the last frame, returns the end of the medium. */
const timeAfter = (table: FrameTable | undefined, frame: number, lengthMs: number) =>
  table === undefined || frame >= table.count ? lengthMs : table.timeOf(frame);

function toggle<T>(set: ReadonlySet<T>, one: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(one)) next.add(one);
  return next;
}

function Toggle({
  name,
  panels,
  set,
  children,
}: {
  readonly name: Panel;
  readonly panels: ReadonlySet<Panel>;
  readonly set: (panels: ReadonlySet<Panel>) => void;
  readonly children: string;
}) {
  return (
    <button
      type="button"
      class="plain"
      aria-pressed={panels.has(name)}
      onClick={() => set(toggle(panels, name))}
    >
      {children}
    </button>
  );
}

function Where({
  medium: { mediaType },
  table,
  positionMs,
}: {
  readonly medium: Medium;
  readonly table: FrameTable | undefined;
  readonly positionMs: number;
}) {
  if (mediaType !== 'VIDEO' && mediaType !== 'AUDIO') return null;
  const frame =
    mediaType === 'VIDEO' && table !== undefined ? TEXT.viewer.frameAfterTime(table.nearest(positionMs)) : '';
  return (
    <p class="where">
      {mediaType === 'VIDEO' ? clock(positionMs) : timeText(positionMs)}
      {frame}
    </p>
  );
}
