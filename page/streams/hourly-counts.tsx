import { useMemo, useState } from 'preact/hooks';
import { urlOf } from '../kit/api.ts';
import { Plot } from '../kit/chart/plot.tsx';
import type { PlotLine, PlotData } from '../kit/chart/plot-data.ts';
import { count, dateText, hourText } from '../kit/format.ts';
import { useGet, useSame } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';
import {
  countedKinds,
  firstHour,
  HOUR_MS,
  hourLines,
  HOURS,
  sumOf,
  type Counted,
  type HourlyCounts,
} from './hours.ts';

/** Interval at which the counts of a live camera are requested again: milliseconds. */
const AGAIN_MS = 10_000;
/** Offered distances of the marks of the axis: hours. */
const MARKS = [1, 2, 3, 4, 6, 12].map((hours) => hours * HOUR_MS);

/** What was counted in each of the last 24 hours. `endedAt`: end of a stream that is not live. */
export function CountsPerHour({ path, endedAt }: { readonly path: string; readonly endedAt?: number }) {
  const from = firstHour(endedAt ?? Date.now());
  const start = new Date(from).toISOString();
  const counts = useGet<HourlyCounts>(
    `${path}/counts`,
    { start },
    endedAt === undefined ? AGAIN_MS : undefined,
  );
  return (
    <section class="chart" aria-label={TEXT.streams.countsPerHour}>
      <h2>{TEXT.streams.countsPerHour}</h2>
      <Shown of={counts}>
        {(all) => <Counts counts={all} {...{ from, path }} isLive={endedAt === undefined} />}
      </Shown>
    </section>
  );
}

interface CountsProps {
  readonly counts: HourlyCounts;
  readonly from: number;
  readonly path: string;
  readonly isLive: boolean;
}

function Counts({ counts, from, path, isLive }: CountsProps) {
  const [chosen, choose] = useState<Counted>();
  const kinds = countedKinds(counts);
  const kind = chosen !== undefined && kinds.includes(chosen) ? chosen : kinds[0];
  const download = (
    <a href={urlOf(`${path}/counts`, { format: 'csv' })} download>
      {TEXT.kit.downloadCsv}
    </a>
  );
  if (kind === undefined)
    return (
      <p class="hint">
        {isLive ? TEXT.streams.nothingCountedInADay : TEXT.streams.nothingCountedAtTheEnd} {download}
      </p>
    );
  return (
    <>
      <div class="filters">
        <label>
          {TEXT.streams.count}{' '}
          <select value={kind} onChange={({ currentTarget }) => choose(currentTarget.value as Counted)}>
            {kinds.map((one) => (
              <option key={one} value={one}>
                {TEXT.streams.countOf[one]}
              </option>
            ))}
          </select>
        </label>
        {download}
      </div>
      <Hours lines={hourLines(counts, kind, from)} from={from} />
    </>
  );
}

function Hours({ lines: given, from }: { readonly lines: readonly PlotLine[]; readonly from: number }) {
  const lines = useSame(given);
  const plot = useMemo<PlotData>(
    () => ({
      ...{ from, step: HOUR_MS, steps: HOURS, to: from + HOURS * HOUR_MS },
      ...{ lines, placeText: hourText, marks: MARKS, hasBars: true },
    }),
    [lines, from],
  );
  return (
    <>
      <Plot of={plot} />
      <details>
        <summary>{TEXT.kit.numbers}</summary>
        <HoursTable lines={lines} from={from} />
        <p class="hint">{TEXT.streams.csvHasDays}</p>
      </details>
    </>
  );
}

/** The numbers of the chart, newest first, also for readers who cannot see it. */
function HoursTable({ lines, from }: { readonly lines: readonly PlotLine[]; readonly from: number }) {
  const hours = Array.from({ length: HOURS }, (_, n) => HOURS - 1 - n).filter((hour) =>
    lines.some(({ values }) => values[hour]! > 0),
  );
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{TEXT.streams.hour}</th>
            {lines.map(({ title }) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hours.map((hour) => (
            <NumbersRow
              key={hour}
              name={dateText(new Date(from + hour * HOUR_MS).toISOString())}
              numbers={lines.map(({ values }) => values[hour]!)}
            />
          ))}
          <NumbersRow name={TEXT.streams.inAll} numbers={lines.map(({ values }) => sumOf(values))} />
        </tbody>
      </table>
    </div>
  );
}

function NumbersRow({ name, numbers }: { readonly name: string; readonly numbers: readonly number[] }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {numbers.map((n, place) => (
        <td key={place} class="number">
          {count(n)}
        </td>
      ))}
    </tr>
  );
}
