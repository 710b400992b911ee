import { dateText, fileName } from '../kit/format.ts';
import { hrefOf } from '../kit/route.ts';
import type { Place } from '../kit/selection/choice.ts';
import type { Group } from './arrangement.ts';
import type { LibraryMedium } from './types.ts';
import { TEXT } from '../kit/text.ts';

export interface MediaGroup {
  readonly key: string;
  /** Absent if there are no headings. */
  readonly title?: string;
  /** Address of the title's link. */
  readonly href?: string;
  readonly media: readonly LibraryMedium[];
}

/** Returns the place of a medium in the list. Grouped by labels, a medium can have several places. The id is that of its job. */
export const placeOf = ({ jobId, mediaId, label }: LibraryMedium): Place => ({
  key: `${jobId} ${mediaId} ${label ?? ''}`,
  id: jobId,
});

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

/** Groups media, in the order of the list. */
export function groupsOf(
  media: readonly LibraryMedium[],
  group: Group,
  now = new Date(),
): readonly MediaGroup[] {
  if (group === 'none') return [{ key: 'all', media }];
  const groups = new Map<string, { title: string; href?: string; media: LibraryMedium[] }>();
  for (const medium of media) {
    const { key, ...heading } = headingOf(medium, group, now);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { ...heading, media: [medium] });
    else known.media.push(medium);
  }
  return [...groups].map(([key, rest]) => ({ key, ...rest }));
}

function headingOf(
  { jobId, externalId, jobEndDate, mediaUri, label }: LibraryMedium,
  group: Exclude<Group, 'none'>,
  now: Date,
): { readonly key: string; readonly title: string; readonly href?: string } {
  const date = new Date(jobEndDate);
  if (group === 'day') {
    const title = dayTitle(date, now);
    return { key: `day ${title}`, title };
  }
  if (group === 'job') {
    const title = `${externalId ?? fileName(mediaUri)} · ${dateText(jobEndDate, now)}`;
    return { key: `job ${jobId}`, title, href: hrefOf(['jobs', jobId]) };
  }
  return { key: `label ${label ?? ''}`, title: label ?? TEXT.library.withoutALabel };
}

function dayTitle(date: Date, now: Date): string {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date.toDateString() === now.toDateString()) return TEXT.common.today;
  return date.toDateString() === yesterday.toDateString() ? TEXT.library.yesterday : day.format(date);
}
