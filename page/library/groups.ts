import type { LibraryMedium } from './types.ts';
import { TEXT } from '../kit/text.ts';

export interface Group {
  readonly title: string;
  readonly media: readonly LibraryMedium[];
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

/** Media by the day on which their job ended, in the order of the list. */
export function groupsOf(media: readonly LibraryMedium[], now = new Date()): readonly Group[] {
  const groups = new Map<string, LibraryMedium[]>();
  for (const medium of media) {
    const title = dayTitle(new Date(medium.jobEndDate), now);
    const group = groups.get(title);
    if (group === undefined) groups.set(title, [medium]);
    else group.push(medium);
  }
  return [...groups].map(([title, some]) => ({ title, media: some }));
}

function dayTitle(date: Date, now: Date): string {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date.toDateString() === now.toDateString()) return TEXT.common.today;
  return date.toDateString() === yesterday.toDateString() ? TEXT.library.yesterday : day.format(date);
}
