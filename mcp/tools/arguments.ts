/** Arguments that several tools take. */
import { z } from 'zod';

export const MOST_NUMBER = 2 ** 31 - 1;

export const jobArgument = z.string().trim().min(1).max(200).describe('Id of a job, such as host-12');
export const mediumArgument = z
  .int()
  .min(0)
  .max(MOST_NUMBER)
  .optional()
  .describe('Number of the medium in the job, as search and job tell it; needed when the job has several');
