/** Tags texts by their words: text files, or the texts of feed-forward tracks. */
import type { Properties } from '../../../domain/types.ts';
import type {
  DetectionJob,
  Detector,
  FoundPart,
  FoundProperties,
  GenericSource,
} from '../../sdk/detector.ts';
import type { FedTrack } from '../../../protocol/detection-work.ts';
import { textsOf, type NamedText } from '../../shared/fed-texts/fed-texts.ts';
import { textUnits } from '../../shared/fed-texts/text-units.ts';
import { taggerFor, type TaggerCache } from './tagging-files.ts';
import type { Tagger, Trigger } from './tagger.ts';

const LIST = '; ';

/** Returns the tags of all texts, after the existing ones, and the words with their places by property and tag. */
async function tagsOf(texts: readonly NamedText[], before: string, tagger: Tagger): Promise<Properties> {
  const tags = before.split(';').map((tag) => tag.trim());
  const words: Record<string, string> = {};
  for (const { name, text } of texts)
    for (const { tag, triggers } of await tagger(text)) {
      tags.push(tag);
      words[`${name} ${tag} TRIGGER WORDS`] = triggers.map(({ word }) => escapeText(word)).join(LIST);
      words[`${name} ${tag} TRIGGER WORDS OFFSET`] = triggers.map(placesText).join(LIST);
    }
  return { TAGS: [...new Set(tags)].filter((tag) => tag !== '').join(LIST), ...words };
}

/** Escapes semicolons and backslashes, because semicolons separate words. */
const escapeText = (word: string): string => word.replaceAll(/[\\;]/g, '\\$&');

const placesText = ({ places }: Trigger): string => places.map(([from, to]) => `${from}-${to}`).join(', ');

export default async function loadKeywordDetector(): Promise<Detector> {
  const cache: TaggerCache = new Map();
  return {
    async *generic(source: GenericSource, job: DetectionJob): AsyncIterable<FoundPart> {
      const tagger = await taggerFor(job.properties, cache);
      let section = 0;
      for await (const text of textUnits(source, job))
        yield {
          confidence: -1,
          properties: {
            TEXT: text,
            SECTION_NUM: String(++section),
            ...(await tagsOf([{ name: 'TEXT', text }], '', tagger)),
          },
        };
    },
    async *fed(track: FedTrack, job: DetectionJob): AsyncIterable<FoundProperties> {
      const texts = textsOf(track, job.properties);
      const tagger = await taggerFor(job.properties, cache);
      if (texts.length > 0) yield { properties: await tagsOf(texts, track.properties['TAGS'] ?? '', tagger) };
    },
  };
}
