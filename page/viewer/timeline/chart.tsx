import { useEffect, useRef, useState } from 'preact/hooks';
import type { z } from 'zod';
import type { trackCounts } from '../../../http/schemas/jobs/job-counts.ts';
import { urlOf } from '../../kit/api.ts';
import { hueOf } from '../../kit/colours.ts';
import { count, intervalText, timeText } from '../../kit/format.ts';
import { useGet } from '../../kit/load.ts';
import { Shown } from '../../kit/parts.tsx';
import { findingTitle, keyOf } from '../../library/labels.ts';
import type uPlot from 'uplot';
import { TEXT } from '../../kit/text.ts';

type Counts = z.output<typeof trackCounts>;
type Series = Counts['series'][number];

/** Maximum number of lines. More are hard to distinguish, and the table contains all of them. */
const MOST_LINES = 8;
const HEIGHT = 200;
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
                {TEXT.viewer.downloadCsv}
              </a>
            </div>
            <Plot counts={all} lengthMs={lengthMs} seek={seek} />
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

function Plot(props: PlotProps) {
  const { counts, lengthMs } = props;
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const gone = new AbortController();
    const seek = (ms: number) => latest.current.seek(ms);
    void drawPlot(place.current!, { counts, lengthMs, seek }, gone.signal);
    return () => gone.abort();
  }, [counts, lengthMs]);
  return <div ref={place} class="plot" />;
}

/** Draws the chart until `gone` aborts. Draws it again when the width or the colours change. The library is loaded for the first chart. */
async function drawPlot(
  element: HTMLElement,
  { counts, lengthMs, seek }: PlotProps,
  gone: AbortSignal,
): Promise<void> {
  const { default: Chart } = await import('uplot');
  if (gone.aborted) return;
  const { intervalMs, intervals, series } = counts;
  const shown = series.slice(0, MOST_LINES);
  // The last interval also needs an end.
  const times = Array.from({ length: intervals + 1 }, (_, n) => n * intervalMs);
  const data: [number[], ...number[][]] = [times, ...shown.map(({ present }) => [...present, 0])];
  const paths = Chart.paths.stepped!({ align: 1 });
  const make = () => {
    const options = optionsOf(element, { shown, intervalMs, lengthMs, paths });
    const chart = new Chart({ ...options, width: element.clientWidth, height: HEIGHT }, data, element);
    chart.over.addEventListener('click', () =>
      seek(Math.max(0, chart.posToVal(chart.cursor.left ?? 0, 'x'))),
    );
    return chart;
  };
  let chart = make();
  const sizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
  sizes.observe(element);
  const onScheme = () => {
    chart.destroy();
    chart = make();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onScheme, { signal: gone });
  gone.addEventListener('abort', () => {
    sizes.disconnect();
    chart.destroy();
  });
}

interface Drawn {
  readonly shown: readonly Series[];
  readonly intervalMs: number;
  readonly lengthMs: number;
  readonly paths: uPlot.Series.PathBuilder;
}

function optionsOf(
  element: HTMLElement,
  { shown, intervalMs, lengthMs, paths }: Drawn,
): Pick<uPlot.Options, 'scales' | 'axes' | 'series'> {
  const ink = colourOf(element, 'chart-ink');
  const grid = { stroke: colourOf(element, 'chart-grid'), width: 1 };
  const spanText = (ms: number | null) =>
    ms === null ? '' : `${timeText(ms)} – ${timeText(ms + intervalMs)}`;
  return {
    scales: {
      x: { time: false, range: [0, lengthMs] },
      y: { range: (_, _least, most) => [0, Math.max(1, most)] },
    },
    axes: [
      { stroke: ink, grid, values: (_, places) => places.map((ms) => timeText(ms)) },
      { stroke: ink, grid, values: (_, places) => places.map((n) => (Number.isInteger(n) ? count(n) : '')) },
    ],
    series: [
      { label: TEXT.viewer.time, value: (_, ms) => spanText(ms) },
      ...shown.map((one): uPlot.Series => {
        const stroke = colourOf(element, hueOf(keyOf(one)));
        const fill = stroke.replace('rgb(', 'rgba(').replace(')', ', 0.15)');
        return { label: findingTitle(one), stroke, fill, width: 2, points: { show: false }, paths };
      }),
    ],
  };
}

/** Returns a colour of the style sheet for a canvas, as in the current light or dark mode. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.className = `colour-probe ${name}`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The numbers of the chart, also for readers who cannot see it. */
function CountsTable({ counts: { series, intervalMs, intervals, omitted } }: { readonly counts: Counts }) {
  return (
    <details>
      <summary>{TEXT.viewer.numbers}</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{TEXT.viewer.time}</th>
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
