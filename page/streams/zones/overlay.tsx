import { hueOf } from '../../kit/colours.ts';
import type { Shape } from './draft.ts';

/** Zones and lines over a picture. `occupancy`: number of tracks that are in each zone now. */
export function ZoneOverlay({
  shapes,
  chosen,
  occupancy = {},
}: {
  readonly shapes: readonly Shape[];
  readonly chosen?: number | undefined;
  readonly occupancy?: Readonly<Record<string, number>>;
}) {
  return (
    <>
      <svg class="zones" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        {shapes.map((shape, n) => (
          <Outline key={n} shape={shape} isChosen={n === chosen} />
        ))}
      </svg>
      {shapes.map(({ name, points: [first] }, n) =>
        first === undefined ? null : (
          <span
            key={n}
            class={`zone-name ${hueOf(name)}`}
            style={{ left: `${first[0] * 100}%`, top: `${first[1] * 100}%` }}
          >
            {name}
            {occupancy[name] !== undefined && ` · ${occupancy[name]}`}
          </span>
        ),
      )}
    </>
  );
}

function Outline({
  shape: { kind, name, points },
  isChosen,
}: {
  readonly shape: Shape;
  readonly isChosen: boolean;
}) {
  const places = points.map(([x, y]) => `${x},${y}`).join(' ');
  const look = `${hueOf(name)}${isChosen ? ' chosen' : ''}`;
  return kind === 'ZONE' ? (
    <polygon class={look} points={places} />
  ) : (
    <polyline class={look} points={places} />
  );
}
