import { z } from 'zod';

/** Uploaded media (ours). */
export const uploadId = z.string().describe('The id from the answer to the upload');

export const uploadQuery = z.strictObject({
  name: z
    .string()
    .max(1_000)
    .optional()
    .describe('What the client calls the file; its ending helps to tell one kind of text from another'),
});

export const upload = z
  .object({
    id: uploadId,
    mediaUri: z.string().describe('The mediaUri for jobs of this service'),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    bytes: z.int().min(1),
    expires: z.iso
      .datetime()
      .describe('It is removed then, or when the last live job that uses it has ended'),
  })
  .meta({ id: 'UploadedMedium' });
