import { useEffect, useState } from 'preact/hooks';
import { urlOf } from '../../kit/api.ts';
import { hueOf, trackHue } from '../../kit/colours.ts';
import { count, countText, timeText } from '../../kit/format.ts';
import type { Loaded } from '../../kit/load.ts';
import { Shown } from '../../kit/parts.tsx';
import { findingName, findingTitle } from '../../library/labels.ts';
import { nameOfTrack, type Filter, type Lane, type Medium, type Track, type TrackPage } from '../types.ts';
import { TEXT } from '../../kit/text.ts';
import { SimilarLink } from './similar-link.tsx';

/** Time without typing after which a text is searched: milliseconds. */
const TYPING_MS = 250;

/** The filters of the findings. */
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
    <form
      class="filters"
      role="search"
      aria-label={TEXT.viewer.findings}
      onSubmit={(event) => event.preventDefault()}
    >
      <label class="grow">
        <span class="unseen">{TEXT.viewer.textOrClass}</span>
        <input
          type="search"
          placeholder={TEXT.viewer.textOrClass}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <label>
        {TEXT.viewer.confidenceFrom(Math.round(minConfidence * 100))}
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

interface Group {
  readonly name: string;
  readonly tracks: readonly Track[];
}

/** Groups tracks by name, in the order of their first occurrence. */
function groupsOf(tracks: readonly Track[], lanes: readonly Lane[]): readonly Group[] {
  const groups = new Map<string, Track[]>();
  for (const track of tracks) {
    const name = nameOfTrack(lanes, track);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [track]);
    else group.push(track);
  }
  return [...groups].map(([name, some]) => ({ name, tracks: some }));
}

/** The tracks in the visible part of the medium by class, each with its exemplar. A click moves to the exemplar. */
export function TrackList({
  job,
  medium,
  tracks,
  lanes,
  selected,
  positionMs,
  open,
}: {
  readonly job: string;
  readonly medium: Medium;
  readonly tracks: Loaded<TrackPage>;
  readonly lanes: readonly Lane[];
  readonly selected: number | undefined;
  /** Current playback position. */
  readonly positionMs: number;
  readonly open: (track: Track) => void;
}) {
  return (
    <Shown of={tracks}>
      {({ tracks: shown, total }) => (
        <>
          <p class="hint" role="status">
            {shown.length < total
              ? TEXT.viewer.theFirstOfFindingsZoom(count(shown.length), count(total))
              : countText(total, TEXT.common.finding)}
          </p>
          {groupsOf(shown, lanes).map(({ name, tracks: some }) => (
            <section key={name} class={`found-group ${hueOf(name)}`}>
              <h2>
                <span class="dot" /> {findingTitle({ type: name, class: null })}{' '}
                <small>{count(some.length)}</small>
              </h2>
              <ul class="tracks">
                {some.map((track) => (
                  <TrackItem
                    key={track.n}
                    job={job}
                    medium={medium}
                    track={track}
                    name={name}
                    isSelected={track.n === selected}
                    positionMs={positionMs}
                    open={() => open(track)}
                  />
                ))}
              </ul>
            </section>
          ))}
        </>
      )}
    </Shown>
  );
}

function TrackItem({
  job,
  medium,
  track,
  name,
  isSelected,
  positionMs,
  open,
}: {
  readonly job: string;
  readonly medium: Medium;
  readonly track: Track;
  readonly name: string;
  readonly isSelected: boolean;
  readonly positionMs: number;
  readonly open: () => void;
}) {
  const { n, label, confidence, startMs, stopMs, artifact } = track;
  const hasTime = medium.mediaType === 'VIDEO' || medium.mediaType === 'AUDIO';
  // The numbers of a vector are not useful for readers.
  const { FEATURE: _, ...properties } = track.properties;
  const page = properties['PAGE_NUM'];
  const facts = [
    ...(hasTime ? [`${timeText(startMs)} – ${timeText(stopMs)}`] : []),
    ...(page === undefined ? [] : [TEXT.viewer.pageInSentence(page)]),
    ...(confidence >= 0 ? [`${Math.round(confidence * 100)} %`] : []),
  ];
  const isNow = hasTime && startMs <= positionMs && positionMs <= stopMs;
  const picture = artifactUrl(job, artifact);
  return (
    <li
      class={`${trackHue(name, n)}${isSelected ? ' chosen-track' : ''}${isNow ? ' now' : ''}`}
      aria-current={isNow ? 'time' : undefined}
    >
      <button type="button" onClick={open} aria-pressed={isSelected}>
        {picture === undefined ? <span class="dot" /> : <img src={picture} alt="" loading="lazy" />}
        <span class="grow">
          <span>{label ?? findingName({ type: name, class: null })}</span>
          <small>{facts.join(' · ')}</small>
        </span>
      </button>
      {isSelected && <SimilarLink {...{ job, medium, track }} key={track.id} />}
      {isSelected && Object.keys(properties).length > 0 && (
        <dl class="facts">
          {Object.entries(properties).map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** Returns the address of an artifact, which ends with the last five parts of artifactPath. */
function artifactUrl(job: string, artifact: string | null): string | undefined {
  const parts = artifact?.split('/').slice(-5);
  if (parts?.length !== 5) return undefined;
  return urlOf(`rest/jobs/${encodeURIComponent(job)}/artifacts/${parts.map(encodeURIComponent).join('/')}`);
}
