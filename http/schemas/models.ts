import { z } from 'zod';

/** Model files of the operator's own (ours). */
export const modelList = z
  .object({
    models: z.array(
      z.object({
        name: z.string().describe('The value of MODEL_NAME that names it: its path below its root'),
        bytes: z.int().min(0),
        modified: z.iso.datetime(),
      }),
    ),
    more: z.boolean().describe('There are more than are listed'),
  })
  .meta({ id: 'ModelList' });
