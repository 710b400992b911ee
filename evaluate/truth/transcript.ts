/** Spoken or written text: plain, or the cues of WebVTT (W3C) and SubRip without their times and markup. */
import type { Source } from './source.ts';
import type { TextTruth } from './truth.ts';

/** Maximum length of a text: characters. Two hours of speech have about one hundred thousand. */
const LONGEST_TEXT = 64 * 1024 * 1024;
const TIMES = /^\s*(\d+:)?\d+:\d+[.,]\d+\s*-->/;

/** Reads a truth as plain text. @throws EvaluationError */
export async function textTruth(source: Source): Promise<TextTruth> {
  return { kind: 'text', text: await linesOf(source, (lines) => lines) };
}

/** Reads a truth from the cues of subtitles. @throws EvaluationError */
export async function cueTruth(source: Source): Promise<TextTruth> {
  return { kind: 'text', text: await linesOf(source, cueLines) };
}

async function linesOf(
  source: Source,
  part: (lines: readonly string[]) => readonly string[],
): Promise<string> {
  const lines: string[] = [];
  let characters = 0;
  let last = 0;
  for await (const { text, number } of source.lines()) {
    characters += text.length;
    if (characters > LONGEST_TEXT) throw source.failure(`has more than ${LONGEST_TEXT} characters.`);
    // An empty line separates cues.
    if (number > last + 1) lines.push('');
    last = number;
    lines.push(text);
  }
  const text = part(lines).join('\n').trim();
  if (text === '') throw source.failure('has no text.');
  return text;
}

/** Returns the text of cues: the lines after the times of a cue, up to an empty line. */
function cueLines(lines: readonly string[]): readonly string[] {
  const said: string[] = [];
  let isCue = false;
  for (const line of lines) {
    if (TIMES.test(line)) isCue = true;
    else if (line === '') isCue = false;
    else if (isCue) said.push(withoutMarkup(line));
  }
  return said;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' };

const withoutMarkup = (line: string): string =>
  line
    .replaceAll(/<\/?[a-z0-9.:][^<>]*>|\{\\[^{}]*\}|\u2060/gi, '')
    .replaceAll(/&(\w+);/g, (whole, name: string) => NAMED[name] ?? whole);
