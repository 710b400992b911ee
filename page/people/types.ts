import type { z } from 'zod';
import { countText } from '../kit/format.ts';
import { TEXT } from '../kit/text.ts';
import type { peoplePage, person, personPage } from '../../http/schemas/search/people.ts';

export type Person = z.output<typeof person>;
export type PeoplePage = z.output<typeof peoplePage>;
export type PersonPage = z.output<typeof personPage>;
export type Occurrence = Person['face'];

/** What a person without a name is called. */
export const nameOf = ({ name }: Pick<Person, 'name'>): string => name ?? TEXT.people.withoutName;

/** `4 times in 2 media`. */
export const seenText = ({ tracks, media }: Pick<Person, 'tracks' | 'media'>): string =>
  TEXT.people.seen(countText(tracks, TEXT.people.time), countText(media, TEXT.jobs.medium, TEXT.jobs.media));
