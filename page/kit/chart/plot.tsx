import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { count } from '../format.ts';
import { TEXT } from '../text.ts';
import type { PlotData } from './plot-data.ts';

/** Maximum number of lines. More are hard to distinguish. */
const MOST_LINES = 8;
const HEIGHT = 200;

/** A chart of values in steps, such as numbers per hour. `seek`: called with the place of a click. */
export function Plot({
  of,
  seek,
}: {
  /** The chart is drawn again when this object is another one. */
  readonly of: PlotData;
  readonly seek?: (place: number) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(seek);
  latest.current = seek;
  useEffect(() => {
    const gone = new AbortController();
    void drawPlot(place.current!, of, (at) => latest.current?.(at), gone.signal);
    return () => gone.abort();
  }, [of]);
  return <div ref={place} class={seek === undefined ? 'plot' : 'plot seekable'} />;
}

/** Draws the chart until `gone` aborts. Draws it again when the width or the colours change. The library is loaded for the first chart. */
async function drawPlot(
  element: HTMLElement,
  plot: PlotData,
  seek: (place: number) => void,
  gone: AbortSignal,
): Promise<void> {
  const { default: Chart } = await import('uplot');
  if (gone.aborted) return;
  const shown = plot.lines.slice(0, MOST_LINES);
  const data = dataOf({ ...plot, lines: shown });
  const make = () => {
    const options = optionsOf(element, { ...plot, lines: shown }, Chart.paths);
    const chart = new Chart({ ...options, width: element.clientWidth, height: HEIGHT }, data, element);
    chart.over.addEventListener('click', () =>
      seek(Math.max(plot.from, chart.posToVal(chart.cursor.left ?? 0, 'x'))),
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

/** Returns the places on the axis, then the values of each line. A bar is at the middle of its step. */
function dataOf({ from, step, steps, lines, hasBars }: PlotData): [number[], ...number[][]] {
  if (hasBars === true)
    return [
      Array.from({ length: steps }, (_, n) => from + (n + 0.5) * step),
      ...lines.map(({ values }) => [...values]),
    ];
  // The last step also needs an end.
  const places = Array.from({ length: steps + 1 }, (_, n) => from + n * step);
  return [places, ...lines.map(({ values }) => [...values, 0])];
}

function optionsOf(
  element: HTMLElement,
  plot: PlotData,
  paths: typeof uPlot.paths,
): Pick<uPlot.Options, 'scales' | 'axes' | 'series' | 'cursor'> {
  const { from, step, to, placeText, marks, hasBars = false } = plot;
  const ink = colourOf(element, 'chart-ink');
  const grid = { stroke: colourOf(element, 'chart-grid'), width: 1 };
  const spanText = (start: number) => `${placeText(start)} – ${placeText(start + step)}`;
  return {
    ...(hasBars && { cursor: { points: { show: false } } }),
    scales: {
      x: { time: false, range: [from, to] },
      y: { range: (_, _least, most) => [0, Math.max(1, most)] },
    },
    axes: [
      {
        ...{ stroke: ink, grid, values: (_, places) => places.map((at) => placeText(at)) },
        ...(marks && { incrs: [...marks] }),
      },
      { stroke: ink, grid, values: (_, places) => places.map((n) => (Number.isInteger(n) ? count(n) : '')) },
    ],
    series: [
      {
        label: TEXT.kit.time,
        value: (_, at: number | null) => (at === null ? '' : spanText(hasBars ? at - step / 2 : at)),
      },
      ...plot.lines.map((_, n) => seriesOf(element, plot, n, paths)),
    ],
  };
}

/** The look of a line. */
function seriesOf(element: HTMLElement, plot: PlotData, n: number, paths: typeof uPlot.paths): uPlot.Series {
  const { title, hue } = plot.lines[n]!;
  const colour = colourOf(element, hue);
  const common = { label: title, stroke: colour, points: { show: false } };
  if (plot.hasBars === true) return { ...common, fill: colour, width: 0, paths: barsOf(plot, n, paths) };
  const fill = colour.replace('rgb(', 'rgba(').replace(')', ', 0.15)');
  return { ...common, fill, width: 2, paths: paths.stepped!({ align: 1 }) };
}

/** Share of a step that its bars fill. */
const FILLED = 0.8;

/** Draws the bars of a line beside those of the others. */
function barsOf(
  { from, step, steps, lines }: PlotData,
  n: number,
  paths: typeof uPlot.paths,
): uPlot.Series.PathBuilder {
  const width = (step * FILLED) / lines.length;
  const first = from + (step * (1 - FILLED)) / 2 + n * width;
  const starts = Array.from({ length: steps }, (_, place) => first + place * step);
  return paths.bars!({
    disp: { x0: { unit: 1, values: () => starts }, size: { unit: 1, values: () => [width] } },
  });
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
