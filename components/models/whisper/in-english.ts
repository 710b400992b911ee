/**
 * Combines the transcript with its English translation. The model processes the window a second time and splits it at other places. The
 * English texts become the tracks. Each original text goes to the track with the largest common time, or to the nearest track.
 */
import type { SpokenText } from '../../../media/sound/whisper-filter.ts';

/** A text as spoken, in English, or both. Times are in milliseconds from the start of the window. */
export interface SaidText extends Pick<SpokenText, 'start' | 'stop'> {
  readonly text?: string;
  readonly english?: string;
}

export function inEnglish(
  spoken: readonly SpokenText[],
  english: readonly SpokenText[],
): readonly SaidText[] {
  if (english.length === 0) return spoken;
  const texts: string[][] = english.map(() => []);
  for (const one of spoken) texts[nearestTo(one, english)]!.push(one.text);
  return english.map(({ start, stop, text }, i) => {
    const own = texts[i]!;
    return { start, stop, english: text, ...(own.length === 0 ? {} : { text: own.join(' ') }) };
  });
}

function nearestTo(text: SpokenText, others: readonly SpokenText[]): number {
  const shared = others.map((other) => Math.min(text.stop, other.stop) - Math.max(text.start, other.start));
  return shared.indexOf(Math.max(...shared));
}
