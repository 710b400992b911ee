import { useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../../kit/api.ts';
import { hueOf } from '../../kit/colours.ts';
import { count, timeText } from '../../kit/format.ts';
import { useLoaded } from '../../kit/load.ts';
import { Problem } from '../../kit/parts.tsx';
import { TEXT } from '../../kit/text.ts';
import type { Span } from '../timeline/lanes.tsx';
import type { Lane, Track, TrackPage } from '../../kit/findings/types.ts';

/** Types of tracks that are read like a text. */
const READ: ReadonlySet<string> = new Set(['SPEECH', 'TEXT']);
/** Number of lines per request, and maximum number of lines. */
const [PAGE, MOST] = [1_000, 5_000];
/** Interval between two updates of a running job: milliseconds. */
const LIVE_MS = 5_000;

interface Lines {
  readonly lines: readonly Track[];
  readonly total: number;
}

interface TranscriptProps {
  readonly base: string;
  readonly lanes: readonly Lane[];
  /** The part of the medium that the timeline shows. */
  readonly span: Span;
  /** Current playback position. */
  readonly positionMs: number;
  readonly isLive: boolean;
  /** Moves to the time at which a line begins. */
  readonly open: (line: Track) => void;
}

/** The spoken or written text of a medium, line by line, with the current line marked. Empty if no action extracted text. */
export function Transcript({ base, lanes, span, positionMs, isLive, open }: TranscriptProps) {
  const read = lanes.filter(({ type, tracks }) => READ.has(type.toUpperCase()) && tracks > 0);
  const [chosen, choose] = useState<number>();
  const lane = read.find((one) => one.lane === chosen) ?? read[0];
  const { fromMs, toMs } = span;
  const loaded = useLoaded(
    (signal) =>
      loadLines(base, { lane: lane?.lane, fromMs: Math.floor(fromMs), toMs: Math.ceil(toMs) }, signal),
    [base, lane?.lane, fromMs, toMs],
    isLive ? LIVE_MS : undefined,
  );
  const shown = loaded.value;
  const isEmpty = shown !== undefined && shown.lines.length === 0;
  if (lane === undefined || (isEmpty && read.length === 1)) return null;
  return (
    <section class="transcript" aria-label={TEXT.viewer.transcript}>
      <header>
        <h2>{titleOf(lane)}</h2>
        {read.length > 1 && (
          <select
            aria-label={TEXT.viewer.transcript}
            value={lane.lane}
            onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
          >
            {read.map((one) => (
              <option key={one.lane} value={one.lane}>
                {`${titleOf(one)} · ${one.action}`}
              </option>
            ))}
          </select>
        )}
      </header>
      {loaded.error !== undefined && <Problem again={loaded.again}>{loaded.error.message}</Problem>}
      {isEmpty && <p class="hint">{TEXT.viewer.noLines}</p>}
      {shown !== undefined && shown.total > MOST && (
        <p class="hint">{TEXT.viewer.theFirstLines(count(MOST), count(shown.total))}</p>
      )}
      {shown !== undefined && (
        <LineList lines={shown.lines} type={lane.type} positionMs={positionMs} open={open} />
      )}
    </section>
  );
}

/** Loads tracks with a text. Other tracks are stretches of speech or text without a transcript. */
async function loadLines(
  base: string,
  query: { readonly lane: number | undefined; readonly fromMs: number; readonly toMs: number },
  signal: AbortSignal,
): Promise<Lines> {
  if (query.lane === undefined) return { lines: [], total: 0 };
  const lines: Track[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await get<TrackPage>(`${base}/tracks`, { ...query, limit: PAGE, offset }, signal);
    lines.push(...page.tracks.filter(({ label }) => label !== null && label.trim() !== ''));
    if (page.tracks.length < PAGE || offset + PAGE >= MOST) return { lines, total: page.total };
  }
}

const titleOf = ({ type }: Lane): string =>
  type.toUpperCase() === 'SPEECH' ? TEXT.viewer.transcript : TEXT.viewer.text;

function LineList({
  lines,
  type,
  positionMs,
  open,
}: {
  readonly lines: readonly Track[];
  readonly type: string;
  readonly positionMs: number;
  readonly open: (line: Track) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const now = lineAt(lines, positionMs);
  useEffect(() => {
    const line = list.current!.children[now];
    if (line !== undefined) showLine(list.current!, line as HTMLElement);
  }, [now]);
  return (
    <ol ref={list} class={hueOf(type)} tabIndex={0} aria-label={TEXT.viewer.lines}>
      {lines.map((line, n) => {
        const isNow = line.startMs <= positionMs && positionMs <= line.stopMs;
        return (
          <li
            key={line.n}
            class={isNow ? 'now' : undefined}
            aria-current={n === now && isNow ? 'time' : undefined}
          >
            <button type="button" onClick={() => open(line)}>
              <time>{timeText(line.startMs)}</time>
              <span>{line.label}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

/** Returns the index of the last line that has begun. Returns -1 if there is none. Lines are sorted by their begin. */
function lineAt(lines: readonly Track[], ms: number): number {
  let [from, to] = [0, lines.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (lines[middle]!.startMs <= ms) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** Scrolls only the list, and only while the reader does not use it. */
function showLine(list: HTMLElement, line: HTMLElement): void {
  if (list.matches(':hover, :focus-within')) return;
  const [shown, place] = [list.getBoundingClientRect(), line.getBoundingClientRect()];
  if (place.top < shown.top || place.bottom > shown.bottom)
    list.scrollTop += place.top - shown.top - shown.height / 3;
}
