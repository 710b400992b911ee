/** Compares speech and texts of the document with those of the truth. */
import type { FoundMedium } from '../results/document/findings.ts';
import { EvaluationError } from './error.ts';
import { walk, type DocumentHead, type DocumentSource, type NamedMedium } from './document.ts';
import type { Finder, Wanted } from './found-boxes.ts';
import { FoundSpeech, inReadingOrder, type Said } from './found-speech.ts';
import {
  asOneSpeaker,
  speechMeasures,
  speechTime,
  type SpeechMeasures,
  type SpeechTime,
  type Stretch,
} from './measures/speech-time.ts';
import {
  characterErrors,
  plainText,
  spacedText,
  wordErrors,
  type TextErrors,
} from './measures/word-errors.ts';
import { theOnly } from './places.ts';
import { listNames } from './sentences.ts';
import type { SpeechTruth, TextTruth } from './truth/truth.ts';

export interface SpeechResult {
  /** Shows if speakers are distinguished, or only speech is detected. */
  readonly measure: 'diarization' | 'speech detection';
  readonly overall: SpeechMeasures;
  readonly media: readonly ({ readonly medium: string } & SpeechMeasures)[];
}

export interface TextResult {
  readonly medium: string;
  readonly words: TextErrors;
  /** Null if too many characters differ. */
  readonly characters: TextErrors | null;
}

export interface Judgement<T> {
  readonly result: T;
  readonly evaluated: readonly Finder[];
  readonly notes: readonly string[];
}

interface SpeechOptions {
  readonly wanted: Wanted;
  readonly limit: number;
  readonly mediaId: number | undefined;
  /** Time before and after a border of the truth that does not count: milliseconds. */
  readonly collarMs: number;
  /** True if texts are compared without normalization. */
  readonly exact: boolean;
  /** The property with the text. Undefined: TRANSCRIPT, else TEXT. */
  readonly property: string | undefined;
}

const hasTime = ({ mediaType }: FoundMedium): boolean => mediaType === 'VIDEO' || mediaType === 'AUDIO';
const SPEECH = 'SPEECH';

/** Evaluates speech. @throws EvaluationError */
export async function judgeSpeech(
  truth: SpeechTruth,
  source: DocumentSource,
  head: DocumentHead,
  options: SpeechOptions,
): Promise<Judgement<SpeechResult>> {
  const { pairs, notes } = recordingsOf(truth, meantOf(head, options.mediaId));
  const media = new Set(pairs.map(({ one }) => one.medium.mediaId));
  const wanted = { ...options.wanted, type: options.wanted.type ?? SPEECH };
  const found = new FoundSpeech({ media, wanted, limit: options.limit, properties: [] });
  await walk(source, found);
  const none = found.said.size === 0 ? nothingFound(options.wanted, SPEECH, found.types) : [];
  const finder = lastFinder([...found.said.values()].flat(), head.actions);
  const saidIn = ({ medium }: NamedMedium) =>
    (found.said.get(medium.mediaId) ?? []).filter(({ action }) => action === finder?.action);
  const namesSpeakers = pairs.some(({ one }) => saidIn(one).some(({ speaker }) => speaker !== ''));
  const judged = pairs.map(({ one, stretches }) => {
    const [wantedOnes, others] = namesSpeakers
      ? [stretches, saidIn(one)]
      : [stretches, saidIn(one)].map(asOneSpeaker);
    return { name: one.name, time: speechTime(wantedOnes!, others!, options.collarMs) };
  });
  const result: SpeechResult = {
    measure: namesSpeakers ? 'diarization' : 'speech detection',
    overall: speechMeasures(totalOf(judged.map(({ time }) => time))),
    media: judged.map(({ name, time }) => ({ medium: name, ...speechMeasures(time) })),
  };
  const unnamed = namesSpeakers
    ? []
    : ['The document names no speakers, so only speech detection is evaluated.'];
  return { result, evaluated: finder === undefined ? [] : [finder], notes: [...notes, ...none, ...unnamed] };
}

/** Returns a note that there is no speech. @throws EvaluationError if other types have findings and no type was selected */
function nothingFound({ type }: Wanted, what: string, types: ReadonlySet<string>): readonly string[] {
  if (types.size === 0) return ['The document has no speech and no text: all of the truth counts as missed.'];
  const others = `The document has no ${type ?? what} here: it has ${listNames([...types])}.`;
  if (type !== undefined) return [`${others} All of the truth counts as missed.`];
  throw new EvaluationError(`${others} Choose one with --type, or name with it a type that was not found.`);
}

function meantOf({ media }: DocumentHead, mediaId: number | undefined): readonly NamedMedium[] {
  const meant = media.filter(({ medium }) => mediaId === undefined || medium.mediaId === mediaId);
  if (meant.length > 0) return meant;
  throw new EvaluationError(
    `The document has no medium ${mediaId}: it has ${listNames(media.map(({ medium }) => String(medium.mediaId)))}.`,
  );
}

/** Maps recordings to media. The name of a recording is that of its file without the extension. */
function recordingsOf({ recordings }: SpeechTruth, all: readonly NamedMedium[]) {
  const media = all.filter(({ medium }) => hasTime(medium));
  if (recordings.size === 1) {
    const [[name, stretches]] = recordings as unknown as [[string, readonly Stretch[]]];
    const one = theOnly(media, 'sound or video', (file) => isCalled(file, name));
    return { pairs: [{ one, stretches }], notes: [] };
  }
  const pairs = [...recordings].flatMap(([name, stretches]) => {
    const one = media.find((medium) => isCalled(medium.name, name));
    return one === undefined ? [] : [{ one, stretches }];
  });
  if (pairs.length === 0)
    throw new EvaluationError(
      `None of the recordings of the truth (${listNames([...recordings.keys()])}) is among the media of the document (${listNames(all.map(({ name }) => name))}).`,
    );
  const lost = [...recordings.keys()].filter((name) => !pairs.some(({ one }) => isCalled(one.name, name)));
  const notes = lost.length === 0 ? [] : [`These recordings of the truth are not in the document and are not evaluated: ${listNames(lost)}.`]; // oxfmt-ignore
  return { pairs, notes };
}

const isCalled = (file: string, name: string): boolean =>
  file === name || file.replace(/\.[^.]*$/, '') === name;

/** Returns the finder that is last in the pipeline. */
function lastFinder(said: readonly Said[], actions: readonly string[]): Finder | undefined {
  const last = said.toSorted((a, b) => actions.indexOf(b.action) - actions.indexOf(a.action))[0];
  return last === undefined ? undefined : { type: last.type, action: last.action };
}

function totalOf(times: readonly SpeechTime[]): SpeechTime {
  const sum = { spokenMs: 0, missedMs: 0, falseAlarmMs: 0, confusedMs: 0 };
  for (const time of times)
    for (const name of Object.keys(sum) as (keyof SpeechTime)[]) sum[name] += time[name];
  return sum;
}

/** Maximum number of errors that are counted. Counting more takes minutes. */
const MOST_WORDS = 50_000;
const MOST_CHARACTERS = 20_000;

/** Evaluates text. @throws EvaluationError */
export async function judgeText(
  truth: TextTruth,
  source: DocumentSource,
  head: DocumentHead,
  options: SpeechOptions,
): Promise<Judgement<TextResult>> {
  const one = theOnly(meantOf(head, options.mediaId), 'medium', () => false);
  const properties = options.property === undefined ? ['TRANSCRIPT', 'TEXT'] : [options.property];
  const { wanted, limit } = options;
  const found = new FoundSpeech({ media: new Set([one.medium.mediaId]), wanted, limit, properties });
  await walk(source, found);
  const all = (found.said.get(one.medium.mediaId) ?? []).filter(({ text }) => text !== '');
  const none = all.length === 0 ? nothingFound(wanted, properties.join(' or '), found.types) : [];
  const finder = lastFinder(all, head.actions);
  const told = inReadingOrder(all.filter(({ action }) => action === finder?.action));
  const form = options.exact ? spacedText : plainText;
  const [right, read] = [form(truth.text), form(told.map(({ text }) => text).join(' '))];
  const words = wordErrors(right, read, MOST_WORDS);
  if (words === undefined)
    throw new EvaluationError(
      `Truth and document differ in more than ${MOST_WORDS} words: is it the text of another recording?`,
    );
  const characters = characterErrors(right, read, MOST_CHARACTERS) ?? null;
  const notes =
    characters === null
      ? [`More than ${MOST_CHARACTERS} characters differ, so only the errors of words are reported.`]
      : [];
  const result = { medium: one.name, words, characters };
  return { result, evaluated: finder === undefined ? [] : [finder], notes: [...none, ...notes] };
}
