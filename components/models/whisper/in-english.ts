/**
 * Puts together what was said and the same in English. The model hears the window anew to translate it and cuts it elsewhere: the English texts make the tracks,
 * and each text as it was spoken goes to the one that it shares the most time with, or else to the nearest.
 */
import type { SpokenText } from '../../../media/sound/whisper-filter.ts';

/** Milliseconds from the start of the window; as it was spoken, in English, or both. */
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
