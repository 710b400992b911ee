import { useEffect, useState } from 'preact/hooks';
import { hueOf, trackHue } from '../../kit/colours.ts';
import { count, countText } from '../../kit/format.ts';
import { Icon } from '../../kit/icons.tsx';
import type { Loaded } from '../../kit/load.ts';
import { Shown } from '../../kit/parts.tsx';
import { hrefOf } from '../../kit/route.ts';
import { findingName, findingTitle } from '../../library/labels.ts';
import { nameOf } from '../../people/types.ts';
import { storedSize } from '../../kit/findings/overlay.ts';
import { nameOfTrack, type Filter, type Lane, type Track, type TrackPage } from '../../kit/findings/types.ts';
import { TEXT } from '../../kit/text.ts';
import { CropGrid, type CropsProps } from './crop-grid.tsx';
import { artifactUrl, factsOf, hasTime, TrackDetails } from './details.tsx';
import { usePersons, type TrackPerson } from './people.tsx';

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
  readonly key: string;
  readonly name: string;
  readonly person: TrackPerson | undefined;
  readonly tracks: readonly Track[];
}

/** Groups tracks by name, or by person if that is known, in the order of their first occurrence. */
function groupsOf(
  tracks: readonly Track[],
  lanes: readonly Lane[],
  persons: ReadonlyMap<string, TrackPerson>,
): readonly Group[] {
  const groups = new Map<string, Group & { readonly tracks: Track[] }>();
  for (const track of tracks) {
    const [name, person] = [nameOfTrack(lanes, track), persons.get(track.id)];
    const key = person === undefined ? name : `${name} ${person.id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { key, name, person, tracks: [track] });
    else group.tracks.push(track);
  }
  return [...groups.values()];
}

interface TrackListProps extends CropsProps {
  readonly tracks: Loaded<TrackPage>;
  readonly lanes: readonly Lane[];
  /** Current playback position. */
  readonly positionMs: number;
  /** True if findings are shown as pictures side by side. */
  readonly isGrid: boolean;
  readonly setGrid: (isGrid: boolean) => void;
}

/**
 * The tracks in the visible part of the medium by class, each with its exemplar, as a list or as a grid of pictures. A click moves to the
 * exemplar.
 */
export function TrackList({
  tracks,
  lanes,
  positionMs,
  isGrid: wantsGrid,
  setGrid,
  ...props
}: TrackListProps) {
  const { job, medium } = props;
  const hasPictures = storedSize(medium) !== undefined;
  const isGrid = hasPictures && wantsGrid;
  const persons = usePersons(job, medium, isGrid && lanes.some(({ type }) => type === FACE));
  return (
    <Shown of={tracks}>
      {({ tracks: shown, total }) => (
        <>
          <div class="found-head">
            <p class="hint" role="status">
              {shown.length < total
                ? TEXT.viewer.theFirstOfFindingsZoom(count(shown.length), count(total))
                : countText(total, TEXT.common.finding)}
            </p>
            {hasPictures && total > 0 && <Switch isGrid={isGrid} set={setGrid} />}
          </div>
          {groupsOf(shown, lanes, persons).map((group) => (
            <section key={group.key} class={`found-group ${hueOf(group.name)}`}>
              <GroupTitle of={group} />
              {isGrid ? (
                <CropGrid tracks={group.tracks} name={group.name} {...props} />
              ) : (
                <ul class="tracks">
                  {group.tracks.map((track) => (
                    <TrackItem key={track.n} name={group.name} {...{ track, positionMs }} {...props} />
                  ))}
                </ul>
              )}
            </section>
          ))}
        </>
      )}
    </Shown>
  );
}

const FACE = 'FACE';

function Switch({ isGrid, set }: { readonly isGrid: boolean; readonly set: (isGrid: boolean) => void }) {
  const views = [
    ['list', TEXT.viewer.asList, false],
    ['grid', TEXT.viewer.asCrops, true],
  ] as const;
  return (
    <span class="switch" role="group" aria-label={TEXT.library.view}>
      {views.map(([icon, title, isOn]) => (
        <button
          key={icon}
          type="button"
          aria-pressed={isGrid === isOn}
          aria-label={title}
          title={title}
          onClick={() => set(isOn)}
        >
          <Icon name={icon} />
        </button>
      ))}
    </span>
  );
}

function GroupTitle({ of: { name, person, tracks } }: { readonly of: Group }) {
  return (
    <h2>
      <span class="dot" />{' '}
      {person === undefined ? (
        findingTitle({ type: name, class: null })
      ) : (
        <a href={hrefOf(['people', person.id])}>{nameOf(person)}</a>
      )}{' '}
      <small>{count(tracks.length)}</small>
    </h2>
  );
}

function TrackItem({
  job,
  medium,
  track,
  name,
  selected,
  positionMs,
  open,
}: Pick<CropsProps, 'job' | 'medium' | 'selected' | 'open'> & {
  readonly track: Track;
  readonly name: string;
  readonly positionMs: number;
}) {
  const { n, label, startMs, stopMs, artifact } = track;
  const isSelected = n === selected;
  const isNow = hasTime(medium) && startMs <= positionMs && positionMs <= stopMs;
  const picture = artifactUrl(job, artifact);
  return (
    <li
      class={`${trackHue(name, n)}${isSelected ? ' chosen-track' : ''}${isNow ? ' now' : ''}`}
      aria-current={isNow ? 'time' : undefined}
    >
      <button type="button" onClick={() => open(track)} aria-pressed={isSelected}>
        {picture === undefined ? <span class="dot" /> : <img src={picture} alt="" loading="lazy" />}
        <span class="grow">
          <span>{label ?? findingName({ type: name, class: null })}</span>
          <small>{factsOf(track, hasTime(medium)).join(' · ')}</small>
        </span>
      </button>
      {isSelected && <TrackDetails {...{ job, medium, track }} />}
    </li>
  );
}
