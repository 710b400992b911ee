import { z } from 'zod';
import { VISIBILITIES } from '../../domain/users/owner.ts';
import { whole, type SettingGroup } from './values.ts';

export const USER_LIMIT_NAMES = ['jobs', 'uploads', 'streams', 'requests'] as const;
export type UserLimit = (typeof USER_LIMIT_NAMES)[number];

const isLimit = (name: string): name is UserLimit => (USER_LIMIT_NAMES as readonly string[]).includes(name);

/** `jobs=1000,requests=600`: each limit at most once, with a number from 1. */
const userLimits = z
  .string()
  .transform((text, context) => {
    const limits: Partial<Record<UserLimit, number>> = {};
    for (const part of text.split(',').map((one) => one.trim())) {
      const [, name = '', number = ''] = /^(\w+)\s*=\s*([1-9]\d{0,8})$/.exec(part) ?? [];
      if (part === '') continue;
      if (isLimit(name) && limits[name] === undefined) limits[name] = Number(number);
      else context.addIssue({ code: 'custom', message: problemOf(part, name) });
    }
    return limits;
  })
  .default({});

const problemOf = (part: string, name: string): string =>
  isLimit(name)
    ? `has ${name} twice`
    : `has "${part}", but must be a list like jobs=1000,uploads=4 of ${USER_LIMIT_NAMES.join(', ')} with numbers from 1`;

export const userSettings = {
  JOB_VISIBILITY: z
    .enum(VISIBILITIES, { error: `must be one of ${VISIBILITIES.join(', ')}` })
    .default('all')
    .describe('Jobs that a USER sees: all, own, or group'),
  USER_LIMITS: userLimits
    .meta({ shownDefault: 'no limits' })
    .describe(
      'Limits of one USER, such as jobs=1000,uploads=4,streams=8,requests=600 (per minute); above them: 429',
    ),
  MAX_USER_PRIORITY: whole(9, 0, 9).describe('Highest job priority of a USER; above it: 400'),
};

export const userGroups: readonly SettingGroup[] = [{ title: 'Users', settings: userSettings }];
