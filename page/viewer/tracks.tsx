import { useEffect, useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { clock, count, countText } from '../kit/format.ts';
import type { Loaded } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import { colourOf, type Filter, type Lane, type Track, type TrackPage } from './types.ts';

/** Time for which a text stands before it is looked for: milliseconds. */
const TYPING_MS = 250;

/** What the tracks are narrowed to. */
export function TrackFilters({
  filter: { minConfidence, text },
  change,
}: {
  readonly filter: Filter;
  readonly change: (what: Partial<Filter>) => void;
}) {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    if (typed === text) return undefined;
    const timer = setTimeout(() => change({ text: typed }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label>
        Text or class
        <input type="search" value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
      </label>
      <label>
        At least {Math.round(minConfidence * 100)} % sure
        <input
          type="range"
          min="0"
          max="1"
          step="0.05"
          value={minConfidence}
          onInput={({ currentTarget }) => change({ minConfidence: Number(currentTarget.value) })}
        />
      </label>
    </form>
  );
}

/** The tracks of the stretch of time that is seen, each with its exemplar; a click goes to it. */
export function TrackList({
  job,
  tracks,
  lanes,
  selected,
  open,
}: {
  readonly job: string;
  readonly tracks: Loaded<TrackPage>;
  readonly lanes: readonly Lane[];
  readonly selected: number | undefined;
  readonly open: (track: Track) => void;
}) {
  return (
    <Shown of={tracks}>
      {({ tracks: shown, total }) => (
        <>
          <p class="hint" role="status">
            {shown.length < total
              ? `The first ${count(shown.length)} of ${count(total)} tracks: go closer to see others.`
              : `${countText(total, 'track')}.`}
          </p>
          <ul class="tracks">
            {shown.map((track) => (
              <TrackItem
                key={track.n}
                job={job}
                track={track}
                type={lanes.find(({ lane }) => lane === track.lane)?.type ?? ''}
                isSelected={track.n === selected}
                open={() => open(track)}
              />
            ))}
          </ul>
        </>
      )}
    </Shown>
  );
}

function TrackItem({
  job,
  track,
  type,
  isSelected,
  open,
}: {
  readonly job: string;
  readonly track: Track;
  readonly type: string;
  readonly isSelected: boolean;
  readonly open: () => void;
}) {
  const { lane, label, confidence, startMs, stopMs, artifact, properties } = track;
  const sure = confidence >= 0 ? `${Math.round(confidence * 100)} %` : '';
  const picture = artifactUrl(job, artifact);
  return (
    <li class={isSelected ? 'chosen-track' : ''}>
      <button type="button" onClick={open} aria-pressed={isSelected}>
        {picture !== undefined && <img src={picture} alt="" loading="lazy" />}
        <span class="grow">
          <strong class={colourOf(lane)}>{type}</strong> {label} <small>{sure}</small>
          <small>
            {clock(startMs)} – {clock(stopMs)}
          </small>
        </span>
      </button>
      {isSelected && Object.keys(properties).length > 0 && (
        <dl class="facts">
          {Object.entries(properties).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** The last five parts of artifactPath stand in the address as well. */
function artifactUrl(job: string, artifact: string | null): string | undefined {
  const parts = artifact?.split('/').slice(-5);
  if (parts?.length !== 5) return undefined;
  return urlOf(`rest/jobs/${encodeURIComponent(job)}/artifacts/${parts.map(encodeURIComponent).join('/')}`);
}
