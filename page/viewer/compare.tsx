import { createContext } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { z } from 'zod';
import type { trackCounts } from '../../http/schemas/jobs/job-counts.ts';
import { get } from '../kit/api.ts';
import { hueOf } from '../kit/colours.ts';
import { count, dateText } from '../kit/format.ts';
import { useGet, useLoaded } from '../kit/load.ts';
import { Shown } from '../kit/parts.tsx';
import type { JobPage } from '../jobs/types.ts';
import { findingTitle, keyOf } from '../library/labels.ts';
import { analysisTitle } from '../new/goals.ts';
import { AgreementTable } from './agreement-table.tsx';
import type { BoxPage, MediaOfJob, Medium } from '../kit/findings/types.ts';
import { TEXT } from '../kit/text.ts';

type Counts = z.output<typeof trackCounts>;

/** Address of the same medium in the job whose boxes are shown as well. Undefined if no job is compared. */
export const ComparedTo = createContext<string | undefined>(undefined);

/** Lane of the other job's boxes. Its tracks have negative numbers. */
export const OTHER_LANE = -1;

/** Joins the boxes of two jobs. Frames that only one answer contains are requested again. */
export function joinBoxes(own: BoxPage, other: BoxPage): BoxPage {
  const toFrame = Math.min(own.toFrame, other.toFrame);
  const others = other.boxes.map((box) => ({ ...box, lane: OTHER_LANE, track: -1 - box.track }));
  return { boxes: [...own.boxes, ...others].filter(({ frame }) => frame <= toFrame), toFrame };
}

const MOST_JOBS = 50;
const MOST_MEDIA = 1_000;
/** Maximum length of an address in a filter. */
const MOST_LETTERS = 1_000;

/** Selects another job with the same medium, and compares the results of both jobs. */
export function Compare({
  job,
  medium,
  base,
  choose,
}: {
  readonly job: string;
  readonly medium: Medium;
  readonly base: string;
  readonly choose: (base: string | undefined) => void;
}) {
  const [chosen, setChosen] = useState('');
  const jobs = useGet<JobPage>('rest/jobs', {
    medium: medium.uri.slice(0, MOST_LETTERS),
    terminal: true,
    limit: MOST_JOBS,
  });
  const other = useLoaded((signal) => findMedium(chosen, medium.uri, signal), [chosen, medium.uri]);
  useEffect(() => choose(other.value ?? undefined), [other.value]);
  useEffect(() => () => choose(undefined), []);
  return (
    <section class="compare" aria-label={TEXT.viewer.comparison}>
      <Shown of={jobs}>
        {({ jobs: all }) => {
          const others = all.filter(({ jobId }) => jobId !== job);
          if (others.length === 0) return <p class="hint">{TEXT.viewer.noOtherJobHasAnalyzed}</p>;
          return (
            <label>
              {TEXT.viewer.compareWith}{' '}
              <select value={chosen} onChange={({ currentTarget: { value } }) => setChosen(value)}>
                <option value="">{TEXT.viewer.chooseAJob}</option>
                {others.map((one) => (
                  <option key={one.jobId} value={one.jobId}>
                    {[analysisTitle(one), dateText(one.startDate), one.jobId].join(' · ')}
                  </option>
                ))}
              </select>
            </label>
          );
        }}
      </Shown>
      {other.error !== undefined && <p role="alert">{other.error.message}</p>}
      {other.value === null && <p class="hint">{TEXT.viewer.thatJobHasNoFindings}</p>}
      {typeof other.value === 'string' && (
        <>
          <Differences own={base} other={other.value} />
          <AgreementTable own={base} other={other.value} />
        </>
      )}
    </section>
  );
}

/** Returns null if the job has only another medium, whose address contains this one. */
async function findMedium(job: string, uri: string, signal: AbortSignal): Promise<string | null | undefined> {
  if (job === '') return undefined;
  const path = `rest/jobs/${encodeURIComponent(job)}/media`;
  const { media } = await get<MediaOfJob>(path, { limit: MOST_MEDIA }, signal);
  const same = media.find((one) => one.uri === uri);
  return same === undefined ? null : `${path}/${same.mediaId}`;
}

function Differences({ own, other }: { readonly own: string; readonly other: string }) {
  const both = useLoaded(
    (signal) =>
      Promise.all([own, other].map((base) => get<Counts>(`${base}/counts`, {}, signal))) as Promise<
        [Counts, Counts]
      >,
    [own, other],
  );
  return (
    <Shown of={both}>
      {([mine, theirs]) => (
        <table>
          <thead>
            <tr>
              <th scope="col">{TEXT.common.found}</th>
              <th scope="col" class="number">
                {TEXT.viewer.thisJob}
              </th>
              <th scope="col" class="number">
                <span class="dashed">{TEXT.viewer.otherJob}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rowsOf(mine, theirs).map(({ key, title, counts: [first, second] }) => (
              <tr key={key} class={first === second ? '' : 'differs'}>
                <th scope="row">
                  <span class={`dot ${hueOf(key)}`} /> {title}
                </th>
                <td class="number">{count(first)}</td>
                <td class="number">{count(second)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Shown>
  );
}

interface Row {
  readonly key: string;
  readonly title: string;
  readonly counts: readonly [own: number, other: number];
}

/** Returns the numbers of tracks of each class in both jobs. Classes with different numbers come first. */
export function rowsOf(own: Counts, other: Counts): readonly Row[] {
  const rows = new Map<string, { readonly title: string; readonly counts: [number, number] }>();
  for (const [n, { series }] of [own, other].entries())
    for (const one of series) {
      const row = rows.get(keyOf(one)) ?? { title: findingTitle(one), counts: [0, 0] };
      row.counts[n]! += one.total;
      rows.set(keyOf(one), row);
    }
  const difference = ({ counts: [first, second] }: Row) => Math.abs(first - second);
  return [...rows].map(([key, row]) => ({ key, ...row })).toSorted((a, b) => difference(b) - difference(a));
}
