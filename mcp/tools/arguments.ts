/** Arguments that several tools have. */
import { z } from 'zod';

export const MOST_NUMBER = 2 ** 31 - 1;

export const jobArgument = z.string().trim().min(1).max(200).describe('Id of a job, such as host-12');
export const mediumArgument = z
  .int()
  .min(0)
  .max(MOST_NUMBER)
  .optional()
  .describe('Number of the medium in the job, as search and job show it; needed when the job has several');

/** A date with an optional time. Without a zone, UTC is used. */
const DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;
export const dateArgument = z.string().refine((text) => DATE.test(text) && Number.isFinite(momentOf(text)), {
  error: 'must be like 2026-03-01 or 2026-03-01T09:30Z',
});

function momentOf(text: string): number {
  const hasZone = DATE.exec(text)?.[1] !== undefined || !text.includes('T');
  return Date.parse(hasZone ? text : `${text}Z`);
}

export const isoOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : new Date(momentOf(text)).toISOString();
