import { useMemo, useState } from 'preact/hooks';
import type { z } from 'zod';
import type { trackCounts } from '../../../http/schemas/jobs/job-counts.ts';
import { urlOf } from '../../kit/api.ts';
import { Plot } from '../../kit/chart/plot.tsx';
import type { PlotData } from '../../kit/chart/plot-data.ts';
import { hueOf } from '../../kit/colours.ts';
import { count, intervalText, timeText } from '../../kit/format.ts';
import { useGet } from '../../kit/load.ts';
import { Shown } from '../../kit/parts.tsx';
import { findingTitle, keyOf } from '../../library/labels.ts';
import { TEXT } from '../../kit/text.ts';

type Counts = z.output<typeof trackCounts>;

/** Offered lengths of an interval: milliseconds. */
const INTERVALS = [1_000, 10_000, 60_000, 600_000, 3_600_000];

/** Number of findings of each class over the time of a medium. A click on the chart moves to that time. */
export function CountsChart({
  base,
  lengthMs,
  seek,
}: {
  readonly base: string;
  readonly lengthMs: number;
  readonly seek: (ms: number) => void;
}) {
  const [interval, setInterval] = useState<number>();
  const query = interval === undefined ? {} : { interval };
  const counts = useGet<Counts>(`${base}/counts`, query);
  return (
    <section class="chart" aria-label={TEXT.viewer.findingsOverTime}>
      <Shown of={counts}>
        {(all) => (
          <>
            <div class="filters">
              <label>
                {TEXT.viewer.countPer}{' '}
                <select
                  value={interval ?? ''}
                  onChange={({ currentTarget: { value } }) =>
                    setInterval(value === '' ? undefined : Number(value))
                  }
                >
                  <option value="">
                    {interval === undefined ? intervalText(all.intervalMs) : TEXT.viewer.automatic}
                  </option>
                  {INTERVALS.map((ms) => (
                    <option key={ms} value={ms}>
                      {intervalText(ms)}
                    </option>
                  ))}
                </select>
              </label>
              <a href={urlOf(`${base}/counts`, { ...query, format: 'csv' })} download>
                {TEXT.kit.downloadCsv}
              </a>
            </div>
            <FindingsPlot counts={all} lengthMs={lengthMs} seek={seek} />
            <CountsTable counts={all} />
          </>
        )}
      </Shown>
    </section>
  );
}

interface PlotProps {
  readonly counts: Counts;
  readonly lengthMs: number;
  readonly seek: (ms: number) => void;
}

function FindingsPlot({ counts, lengthMs, seek }: PlotProps) {
  const plot = useMemo(() => plotDataOf(counts, lengthMs), [counts, lengthMs]);
  return <Plot of={plot} seek={seek} />;
}

const plotDataOf = ({ intervalMs, intervals, series }: Counts, lengthMs: number): PlotData => ({
  ...{ from: 0, step: intervalMs, steps: intervals, to: lengthMs, placeText: timeText },
  lines: series.map((one) => ({ title: findingTitle(one), hue: hueOf(keyOf(one)), values: one.present })),
});

/** The numbers of the chart, also for readers who cannot see it. */
function CountsTable({ counts: { series, intervalMs, intervals, omitted } }: { readonly counts: Counts }) {
  return (
    <details>
      <summary>{TEXT.kit.numbers}</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{TEXT.kit.time}</th>
              {series.map((one) => (
                <th key={keyOf(one)} scope="col" class="number">
                  {findingTitle(one)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: Math.min(intervals, MOST_ROWS) }, (_, n) => (
              <tr key={n}>
                <th scope="row">{timeText(n * intervalMs)}</th>
                {series.map((one) => (
                  <td key={keyOf(one)} class="number">
                    {count(one.present[n]!)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(intervals > MOST_ROWS || omitted > 0) && <p class="hint">{TEXT.viewer.theCsvFileHasAll}</p>}
    </details>
  );
}
const MOST_ROWS = 200;
