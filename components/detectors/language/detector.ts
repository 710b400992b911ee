/** Finds the language of a text file, or of the texts of feed-forward tracks. */
import type { Properties } from '../../../domain/types.ts';
import {
  type DetectionJob,
  type Detector,
  type FoundPart,
  type FoundProperties,
  type GenericSource,
} from '../../sdk/detector.ts';
import type { FedTrack } from '../../../protocol/detection-work.ts';
import { textsOf } from '../../shared/fed-texts/fed-texts.ts';
import { textUnits } from '../../shared/fed-texts/text-units.ts';
import { countOf, invalidProperty } from '../../shared/tracking/settings.ts';
import { KNOWN_LANGUAGES, recognize } from './recognize.ts';
import { letterWeight, scriptOf } from './script.ts';

/** Minimum share of a second language that is reported. */
const MIN_SECOND_SHARE = 0.1;

async function* generic(source: GenericSource, job: DetectionJob): AsyncIterable<FoundPart> {
  const settings = readSettings(job.properties);
  let section = 0;
  for await (const text of textUnits(source, job))
    yield {
      confidence: -1,
      properties: { TEXT: text, SECTION_NUM: String(++section), ...languageOf(text, settings) },
    };
}

async function* fed(track: FedTrack, job: DetectionJob): AsyncIterable<FoundProperties> {
  const settings = readSettings(job.properties);
  const [first] = textsOf(track, job.properties);
  if (first !== undefined) yield { properties: languageOf(first.text, settings) };
}

interface Settings {
  readonly minLength: number;
  /** Languages to choose from, with the recognizer's names. */
  readonly among: readonly string[];
}

function readSettings(properties: Properties): Settings {
  const codes = (properties['LANGUAGES'] ?? '').toUpperCase().match(/[^\s;,]+/g) ?? [
    ...KNOWN_LANGUAGES.keys(),
  ];
  const unknown = codes.find((code) => !KNOWN_LANGUAGES.has(code));
  if (unknown !== undefined)
    throw invalidProperty(
      `The LANGUAGES property is "${unknown}"; it must name languages out of ${[...KNOWN_LANGUAGES.keys()].toSorted().join(', ')}.`,
    );
  return {
    minLength: countOf(properties, 'MIN_LENGTH', 1),
    among: codes.flatMap((code) => KNOWN_LANGUAGES.get(code) ?? []),
  };
}

function languageOf(text: string, { minLength, among }: Settings): Properties {
  const script = { ISO_SCRIPT: scriptOf(text) };
  const [first, second] = letterWeight(text) < minLength ? [] : recognize(text, among);
  if (first === undefined)
    return { ISO_LANGUAGE: 'UNKNOWN', LANGUAGE: 'Unknown', PRIMARY_LANGUAGE_CONFIDENCE: '-1', ...script };
  return {
    ISO_LANGUAGE: first.code,
    LANGUAGE: first.name,
    PRIMARY_LANGUAGE_CONFIDENCE: roundNumber(first.share),
    ...script,
    ...(second === undefined || second.share < MIN_SECOND_SHARE
      ? {}
      : { SECONDARY_LANGUAGE: second.code, SECONDARY_LANGUAGE_CONFIDENCE: roundNumber(second.share) }),
  };
}

const roundNumber = (share: number): string => String(Math.round(share * 1000) / 1000);

export default async function loadLanguageDetector(): Promise<Detector> {
  return { generic, fed };
}
