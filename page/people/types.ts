import type { z } from 'zod';
import { countText } from '../kit/format.ts';
import { TEXT } from '../kit/text.ts';
import type { peoplePage, person, personPage } from '../../http/schemas/search/people.ts';

export type Person = z.output<typeof person>;
export type PeoplePage = z.output<typeof peoplePage>;
export type PersonPage = z.output<typeof personPage>;
export type Occurrence = Person['face'];

/** Returns the name of a person, or a text if there is none. */
export const nameOf = ({ name }: Pick<Person, 'name'>): string => name ?? TEXT.people.withoutName;

/** Returns a text such as `4 times in 2 media`. */
export const seenText = ({ tracks, media }: Pick<Person, 'tracks' | 'media'>): string =>
  TEXT.people.seen(countText(tracks, TEXT.people.time), countText(media, TEXT.jobs.medium, TEXT.jobs.media));
