/**
 * Measures who speaks when. The diarization error rate is defined by NIST (Rich Transcription 2009 evaluation plan, section 3; md-eval). It
 * is the time that is missed, wrongly detected or assigned to another speaker, divided by the spoken time. Two speakers at the same time
 * count twice. The detection error rate is the same without distinguishing speakers.
 */
import { heaviestPairs, type Edge } from './assignment.ts';
import { ratioOf } from './ratio.ts';

/** A time range of speech: milliseconds. */
export interface Stretch {
  readonly start: number;
  readonly stop: number;
  readonly speaker: string;
}

export interface SpeechTime {
  /** Milliseconds: spoken in the truth, missed, falsely detected, assigned to another speaker. */
  readonly spokenMs: number;
  readonly missedMs: number;
  readonly falseAlarmMs: number;
  readonly confusedMs: number;
}

export interface SpeechMeasures extends SpeechTime {
  readonly missRate: number | null;
  readonly falseAlarmRate: number | null;
  readonly confusionRate: number | null;
  /** Sum of the three errors divided by the spoken time. It exceeds 1 if more time is wrong than was spoken. */
  readonly errorRate: number | null;
}

/** Measures the errors. `collarMs` before and after each border of the truth do not count. */
export function speechTime(
  truth: readonly Stretch[],
  found: readonly Stretch[],
  collarMs: number,
): SpeechTime {
  const pieces = [...judgedPieces(joinStretches(truth), joinStretches(found), collarMs)];
  const sameSpeaker = speakersOf(pieces);
  const time = { spokenMs: 0, missedMs: 0, falseAlarmMs: 0, confusedMs: 0 };
  for (const { ms, truths, found } of pieces) {
    const right = truths.filter((speaker) => found.includes(sameSpeaker.get(speaker) ?? '')).length;
    time.spokenMs += ms * truths.length;
    time.missedMs += ms * Math.max(0, truths.length - found.length);
    time.falseAlarmMs += ms * Math.max(0, found.length - truths.length);
    time.confusedMs += ms * (Math.min(truths.length, found.length) - right);
  }
  return time;
}

/** Returns the stretches as those of a single speaker. */
export const asOneSpeaker = (stretches: readonly Stretch[]): readonly Stretch[] =>
  stretches.map((one) => ({ ...one, speaker: '' }));

export function speechMeasures(time: SpeechTime): SpeechMeasures {
  const { spokenMs, missedMs, falseAlarmMs, confusedMs } = time;
  return {
    ...time,
    missRate: ratioOf(missedMs, spokenMs),
    falseAlarmRate: ratioOf(falseAlarmMs, spokenMs),
    confusionRate: ratioOf(confusedMs, spokenMs),
    errorRate: ratioOf(missedMs + falseAlarmMs + confusedMs, spokenMs),
  };
}

/** Joins stretches of one speaker that touch or overlap. */
function joinStretches(stretches: readonly Stretch[]): readonly Stretch[] {
  const last = new Map<string, { start: number; stop: number; speaker: string }>();
  const all: Stretch[] = [];
  for (const one of stretches.toSorted((a, b) => a.start - b.start)) {
    if (one.stop <= one.start) continue;
    const before = last.get(one.speaker);
    if (before !== undefined && one.start <= before.stop) before.stop = Math.max(before.stop, one.stop);
    else {
      const next = { ...one };
      last.set(one.speaker, next);
      all.push(next);
    }
  }
  return all;
}

/** A time range in which no speaker begins or ends. */
interface Piece {
  readonly ms: number;
  readonly truths: readonly string[];
  readonly found: readonly string[];
}

type Side = 'truth' | 'found' | 'collar';
interface Border {
  readonly at: number;
  readonly side: Side;
  readonly speaker: string;
  readonly begins: boolean;
}

function* judgedPieces(
  truth: readonly Stretch[],
  found: readonly Stretch[],
  collarMs: number,
): Generator<Piece> {
  const active = { truth: new Set<string>(), found: new Set<string>() };
  let collars = 0;
  let before = 0;
  for (const border of bordersOf(truth, found, collarMs)) {
    const ms = border.at - before;
    if (ms > 0 && collars === 0) yield { ms, truths: [...active.truth], found: [...active.found] };
    before = Math.max(before, border.at);
    if (border.side === 'collar') collars += border.begins ? 1 : -1;
    else if (border.begins) active[border.side].add(border.speaker);
    else active[border.side].delete(border.speaker);
  }
}

function bordersOf(
  truth: readonly Stretch[],
  found: readonly Stretch[],
  collarMs: number,
): readonly Border[] {
  const borders = [...both(truth, 'truth'), ...both(found, 'found')];
  if (collarMs > 0)
    for (const { at } of both(truth, 'truth'))
      borders.push(
        { at: at - collarMs, side: 'collar', speaker: '', begins: true },
        { at: at + collarMs, side: 'collar', speaker: '', begins: false },
      );
  // At the same time, ends come before begins, because a speaker may begin where the same speaker ends.
  return borders.toSorted((a, b) => a.at - b.at || Number(a.begins) - Number(b.begins));
}

const both = (stretches: readonly Stretch[], side: Side): readonly Border[] =>
  stretches.flatMap(({ start, stop, speaker }) => [
    { at: start, side, speaker, begins: true },
    { at: stop, side, speaker, begins: false },
  ]);

/** Assigns found speakers to those of the truth, so that they share as much time as possible. Each speaker is assigned at most once. */
function speakersOf(pieces: readonly Piece[]): ReadonlyMap<string, string> {
  const truths = [...new Set(pieces.flatMap((piece) => piece.truths))];
  const found = [...new Set(pieces.flatMap((piece) => piece.found))];
  const [rows, columns] = [numbersOf(truths), numbersOf(found)];
  const shared = new Map<string, Edge>();
  for (const piece of pieces)
    for (const truth of piece.truths)
      for (const other of piece.found) {
        const [row, column] = [rows.get(truth)!, columns.get(other)!];
        const key = `${row} ${column}`;
        shared.set(key, { row, column, weight: (shared.get(key)?.weight ?? 0) + piece.ms });
      }
  return new Map(
    heaviestPairs([...shared.values()]).map(({ row, column }) => [truths[row]!, found[column]!]),
  );
}

const numbersOf = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, number) => [name, number]));
