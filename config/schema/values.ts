import { z } from 'zod';
import { parseUserShares } from '../../domain/users/user-shares.ts';

/** Kinds of setting values. */
export const whole = (fallback: number, least = 0, most = Number.MAX_SAFE_INTEGER) => {
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  const error = `must be a whole number${range}`;
  const within = z.int({ error }).min(least, { error }).max(most, { error });
  return z.coerce.number({ error }).pipe(within).default(fallback);
};
/** Longest wait of a timer in milliseconds. Node's timers allow at most these 24.8 days, and fire at once for longer times. */
const LONGEST_WAIT = 2 ** 31 - 1;
export const wait = (fallback: number, least = 0) => whole(fallback, least, LONGEST_WAIT);
const MOST_DAYS = 100_000;
export const days = (fallback: number) => {
  const error = `must be a number of days from 0 to ${MOST_DAYS}`;
  return z.coerce.number({ error }).min(0, { error }).max(MOST_DAYS, { error }).default(fallback);
};
export const truth = () => z.stringbool({ error: 'must be true or false' });
/** Origins as browsers send them (scheme, host and port), or `*` alone. */
export const origins = z
  .string()
  .transform((text) =>
    text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim().replace(/\/$/, '')])),
  )
  .refine(
    (list) =>
      list.every(
        (one) => one === '*' || (!one.includes('*') && URL.canParse(one) && new URL(one).origin === one),
      ),
    {
      error: 'must be a comma-separated list of origins like https://ui.example, or *',
    },
  )
  .refine((list) => list.length === 1 || !list.includes('*'), {
    error: 'must be * alone, or a list without it',
  });
/** Weights of users, like alice=3,group:lab=2,*=1. */
export const userShares = z
  .string()
  .default('')
  .transform((text, context) => {
    try {
      return parseUserShares(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });
export const SECOND = 1_000;
export const MIB = 1024 * 1024;
export const GIB = 1024 * MIB;

/** Related settings, as the settings page groups them. */
export interface SettingGroup {
  readonly title: string;
  readonly about?: string;
  readonly settings: Readonly<Record<string, z.ZodType>>;
}
