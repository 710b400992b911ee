import { get } from '../kit/api.ts';
import { hueOf } from '../kit/colours.ts';
import { count } from '../kit/format.ts';
import { useLoaded } from '../kit/load.ts';
import { Shown, Table } from '../kit/parts.tsx';
import { TEXT } from '../kit/text.ts';
import { findingTitle } from '../library/labels.ts';
import {
  agreementOf,
  f1Of,
  meanOverlapOf,
  precisionOf,
  recallOf,
  type Agreement,
  type JobBoxes,
} from './agreement.ts';
import type { BoxPage, Lane } from '../kit/findings/types.ts';

/** Maximum number of boxes compared per job. */
const MOST_BOXES = 20_000;

interface Measured {
  readonly classes: readonly Agreement[];
  /** The last compared frame, if there were too many boxes for all frames. */
  readonly lastFrame: number | undefined;
}

/** The boxes of another job, measured against those of this job. */
export function AgreementTable({ own, other }: { readonly own: string; readonly other: string }) {
  const measured = useLoaded((signal) => measure(own, other, signal), [own, other]);
  return (
    <Shown of={measured}>
      {({ classes, lastFrame }) =>
        classes.length > 0 && (
          <>
            <h2>{TEXT.viewer.agreementOfBoxes}</h2>
            <p class="hint">
              {TEXT.viewer.howItIsMeasured}
              {lastFrame !== undefined && ` ${TEXT.viewer.comparedUpToFrame(count(lastFrame))}`}
            </p>
            <Measures classes={classes} />
          </>
        )
      }
    </Shown>
  );
}

function Measures({ classes }: { readonly classes: readonly Agreement[] }) {
  const { precision, recall, f1, meanOverlap } = TEXT.viewer;
  const columns = [precision, recall, f1, meanOverlap].map((name) => ({ name, isNumber: true }) as const);
  return (
    <Table columns={[TEXT.common.found, ...columns]}>
      {classes.map((one) => (
        <tr key={one.name}>
          <th scope="row">
            <span class={`dot ${hueOf(one.name)}`} /> {findingTitle({ type: one.name, class: null })}
          </th>
          <Share of={precisionOf(one)} label={precision} />
          <Share of={recallOf(one)} label={recall} />
          <Share of={f1Of(one)} label={f1} />
          <Share of={meanOverlapOf(one)} label={meanOverlap} />
        </tr>
      ))}
    </Table>
  );
}

function Share({ of: share, label }: { readonly of: number | undefined; readonly label: string }) {
  return (
    <td data-label={label} class="number">
      {share === undefined ? '–' : `${(share * 100).toFixed(1)} %`}
    </td>
  );
}

async function measure(own: string, other: string, signal: AbortSignal): Promise<Measured> {
  const [mine, theirs] = await Promise.all([own, other].map((base) => boxesOf(base, signal)));
  const lastFrame = Math.min(mine!.toFrame, theirs!.toFrame);
  const isAll = !mine!.isCut && !theirs!.isCut;
  return {
    classes: agreementOf(mine!, theirs!, lastFrame),
    lastFrame: isAll ? undefined : lastFrame,
  };
}

async function boxesOf(
  base: string,
  signal: AbortSignal,
): Promise<JobBoxes & { readonly toFrame: number; readonly isCut: boolean }> {
  const [{ boxes, toFrame }, lanes] = await Promise.all([
    get<BoxPage>(`${base}/boxes`, { limit: MOST_BOXES }, signal),
    get<readonly Lane[]>(`${base}/lanes`, {}, signal),
  ]);
  // `toFrame` is the last frame of the answer. It is LAST_FRAME if the answer is complete.
  return { boxes, lanes, toFrame, isCut: toFrame < LAST_FRAME };
}

/** Value of `toFrame` when the answer contains all boxes. */
const LAST_FRAME = 2_147_483_647;
