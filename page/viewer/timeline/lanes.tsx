import { useRef, useState } from 'preact/hooks';
import { count, timeText } from '../../kit/format.ts';
import { findingTitle } from '../../library/labels.ts';
import { Preview, type Hover } from './preview.tsx';
import { hueOf } from '../../kit/colours.ts';
import type { Stretch } from './pending-stretches.ts';
import type { Lane } from '../../kit/findings/types.ts';
import { TEXT } from '../../kit/text.ts';

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const HEIGHT = 24;
/** Height of a lane in letters, as high as the name of the lane. */
const LINE = 1.6;
/** Width of the drawing in its own units. */
const WIDTH = 1_000;
const ZOOM = 1.25;
const NARROWEST_MS = 200;

/**
 * A lane for each action and type over the time of a medium: the number of findings over time, and the current position. The wheel zooms,
 * and with Shift it moves the span. A click moves the position.
 */
export function Lanes({
  lanes,
  lengthMs,
  positionMs,
  span,
  setSpan,
  hidden,
  toggle,
  seek,
  still,
  pending,
}: {
  readonly lanes: readonly Lane[];
  readonly lengthMs: number;
  readonly positionMs: number;
  readonly span: Span;
  readonly setSpan: (span: Span) => void;
  readonly hidden: ReadonlySet<number>;
  readonly toggle: (lane: number) => void;
  readonly seek: (ms: number) => void;
  /** Returns the address of the picture at a time. Undefined if there are no pictures. */
  readonly still: ((ms: number) => string) | undefined;
  /** Unfinished stretches of a running job, by lane. If there is no lane yet, those of the medium. */
  readonly pending: readonly (readonly Stretch[])[];
}) {
  const [hover, setHover] = useState<Hover>();
  const bars = useRef<HTMLDivElement>(null);
  const { fromMs, toMs } = span;
  const xOf = (ms: number) => ((ms - fromMs) / (toMs - fromMs)) * WIDTH;
  const msAt = (clientX: number) => {
    const { left, width } = bars.current!.getBoundingClientRect();
    return fromMs + ((clientX - left) / width) * (toMs - fromMs);
  };
  const onMove = ({ clientX, pointerType }: PointerEvent) => {
    // No preview for touch: the finger would cover it, and a touch moves the position.
    if (pointerType !== 'mouse' || still === undefined) return;
    const ms = Math.max(fromMs, Math.min(toMs, msAt(clientX)));
    setHover({ ms, part: (ms - fromMs) / (toMs - fromMs) });
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const length = toMs - fromMs;
    if (event.shiftKey)
      return setSpan(within(fromMs + length * Math.sign(event.deltaY) * 0.1, length, lengthMs));
    const wanted = event.deltaY > 0 ? length * ZOOM : length / ZOOM;
    const next = Math.max(NARROWEST_MS, Math.min(lengthMs, wanted));
    const at = msAt(event.clientX);
    setSpan(within(at - ((at - fromMs) / length) * next, next, lengthMs));
  };
  const rows = Math.max(1, lanes.length);
  return (
    <section class="lanes" aria-label={TEXT.viewer.timeline}>
      <div class="names">
        {lanes.map(({ lane, type, task, action, tracks }) => (
          <label key={lane} class={hueOf(type)} title={`${task ?? ''} ${action}`}>
            <input type="checkbox" checked={!hidden.has(lane)} onChange={() => toggle(lane)} />
            {findingTitle({ type, class: null })} <small>{count(tracks)}</small>
          </label>
        ))}
      </div>
      <div
        class="bars"
        ref={bars}
        onWheel={wheel}
        onClick={(event) => seek(msAt(event.clientX))}
        onPointerMove={onMove}
        onPointerLeave={() => setHover(undefined)}
      >
        {hover !== undefined && still !== undefined && <Preview at={hover} still={still} />}
        <svg
          viewBox={`0 0 ${WIDTH} ${rows * HEIGHT}`}
          preserveAspectRatio="none"
          style={{ height: `${rows * LINE}rem` }}
        >
          {lanes.map((lane, n) => (
            <path
              key={lane.lane}
              class={`${hueOf(lane.type)}${hidden.has(lane.lane) ? ' hidden' : ''}`}
              d={barsOf(lane, span, n * HEIGHT)}
            />
          ))}
          {pending.map(
            (stretches, n) =>
              stretches.length > 0 && (
                <path key={n} class="pending" d={areasOf(stretches, span, n * HEIGHT)} />
              ),
          )}
          <line class="now" x1={xOf(positionMs)} x2={xOf(positionMs)} y1="0" y2="100%" />
        </svg>
        <div class="scale">
          <span>{timeText(fromMs)}</span>
          <span>{timeText(toMs)}</span>
        </div>
      </div>
      <Zoom span={span} lengthMs={lengthMs} setSpan={setSpan} />
    </section>
  );
}

/** Zoom for keyboard and touch. */
function Zoom({
  span: { fromMs, toMs },
  lengthMs,
  setSpan,
}: {
  readonly span: Span;
  readonly lengthMs: number;
  readonly setSpan: (span: Span) => void;
}) {
  const length = toMs - fromMs;
  const zoomBy = (factor: number) => {
    const next = Math.max(NARROWEST_MS, Math.min(lengthMs, length * factor));
    setSpan(within((fromMs + toMs - next) / 2, next, lengthMs));
  };
  return (
    <div class="zoom">
      <button type="button" aria-label={TEXT.viewer.closer} onClick={() => zoomBy(1 / 2)}>
        +
      </button>
      <button type="button" aria-label={TEXT.viewer.lessClose} onClick={() => zoomBy(2)}>
        −
      </button>
      <button
        type="button"
        aria-label={TEXT.viewer.earlier}
        onClick={() => setSpan(within(fromMs - length / 2, length, lengthMs))}
      >
        ‹
      </button>
      <button
        type="button"
        aria-label={TEXT.viewer.later}
        onClick={() => setSpan(within(fromMs + length / 2, length, lengthMs))}
      >
        ›
      </button>
    </div>
  );
}

/** Returns a span of this length within the medium. */
function within(fromMs: number, length: number, lengthMs: number): Span {
  const from = Math.max(0, Math.min(fromMs, lengthMs - length));
  return { fromMs: from, toMs: from + length };
}

/** Returns an area over the whole height of a lane for each stretch. */
function areasOf(stretches: readonly Stretch[], span: Span, top: number): string {
  const scale = WIDTH / (span.toMs - span.fromMs);
  return stretches
    .map(({ fromMs, toMs }) => {
      const [x, width] = [(fromMs - span.fromMs) * scale, (toMs - fromMs) * scale];
      return `M${x.toFixed(2)} ${top}h${width.toFixed(2)}v${HEIGHT}h${(-width).toFixed(2)}z`;
    })
    .join('');
}

/** Number of bars over the width of the drawing. */
const BARS = 250;
/** Minimum width of a bar: milliseconds. It covers two frames at a usual rate, so that the bars of a track have no gaps. */
const NARROWEST_BAR_MS = 50;

/** Returns a bar for each part with findings. Its height is relative to the part with the most findings. */
function barsOf({ binMs, bins }: Lane, { fromMs, toMs }: Span, top: number): string {
  const most = bins.reduce((highest, found) => Math.max(highest, found), 1);
  const scale = WIDTH / (toMs - fromMs);
  const perBar = Math.max(1, Math.round(Math.max(NARROWEST_BAR_MS, (toMs - fromMs) / BARS) / binMs));
  const first = Math.floor(Math.max(0, fromMs / binMs) / perBar) * perBar;
  const last = Math.min(bins.length - 1, Math.floor(toMs / binMs));
  let d = '';
  for (let n = first; n <= last; n += perBar) {
    let found = 0;
    for (let k = n; k < n + perBar && k < bins.length; k++) found = Math.max(found, bins[k]!);
    if (found === 0) continue;
    const height = (HEIGHT - 4) * (0.35 + (0.65 * found) / most);
    const x = (n * binMs - fromMs) * scale;
    const width = Math.max(1, perBar * binMs * scale);
    d += `M${x.toFixed(2)} ${(top + HEIGHT - 2).toFixed(1)}v${(-height).toFixed(1)}h${width.toFixed(2)}v${height.toFixed(1)}z`;
  }
  return d;
}
