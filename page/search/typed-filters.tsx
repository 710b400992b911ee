import { go } from '../kit/route.ts';
import { TEXT } from '../kit/text.ts';
import type { Asked } from './conditions.ts';

const TITLES = {
  text: TEXT.search.textOrThing,
  medium: TEXT.search.partOfFileName,
  camera: TEXT.search.cameraName,
  person: TEXT.search.personName,
  inJob: TEXT.search.idOfJob,
} as const;

interface TypedProps {
  readonly names: readonly (keyof typeof TITLES)[];
  readonly chosen: Asked;
  /** Returns the address of the view with other filters. */
  readonly hrefFor: (chosen: Asked) => string;
}

/** Filters whose values are typed. */
export function TypedFilters({ names, chosen, hrefFor }: TypedProps) {
  return (
    <details class="time-range" open={names.some((name) => chosen[name] !== undefined)}>
      <summary>{TEXT.search.moreFilters}</summary>
      {names.map((name) => (
        <label key={name}>
          <span>{TITLES[name]}</span>
          <input
            type="search"
            value={chosen[name] ?? ''}
            onChange={({ currentTarget: { value } }) =>
              go(hrefFor({ ...chosen, [name]: value.trim() || undefined }))
            }
          />
        </label>
      ))}
    </details>
  );
}
