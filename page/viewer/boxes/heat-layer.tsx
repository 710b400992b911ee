import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { z } from 'zod';
import type { heatMap } from '../../../http/schemas/jobs/job-counts.ts';

export type HeatMap = z.output<typeof heatMap>;

/** The heat map over the picture. Undefined if none is shown. */
export const ShownHeat = createContext<HeatMap | undefined>(undefined);

/** The heat map, in pixels of the stored picture. Places with more boxes are less transparent. */
export function HeatLayer({ transform }: { readonly transform: string }) {
  const map = useContext(ShownHeat);
  if (map === undefined) return null;
  const { width, height, columns, rows, cells } = map;
  const most = cells.reduce((highest, cell) => Math.max(highest, cell), 1);
  const [wide, high] = [width / columns, height / rows];
  return (
    <g class="heat" transform={transform}>
      {cells.map((cell, n) =>
        cell === 0 ? null : (
          <rect
            key={n}
            x={(n % columns) * wide}
            y={Math.floor(n / columns) * high}
            width={wide}
            height={high}
            fill-opacity={0.1 + 0.6 * Math.sqrt(cell / most)}
          />
        ),
      )}
    </g>
  );
}
