import { z } from 'zod';

/** Uploaded media (ours). */
export const uploadId = z.string().describe('The id from the answer to the upload');

export const uploadQuery = z.strictObject({
  name: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      'What the client calls the file: mediaUri ends with it, unusual signs replaced; its ending helps to tell one kind of text from another',
    ),
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

/** Asks whether a job of this service could use these media. */
export const mediaCheckRequest = z
  .object({ mediaUris: z.array(z.string().min(1)).min(1) })
  .meta({ id: 'MediaCheckRequest' });

export const mediaCheck = z
  .object({
    media: z
      .array(
        z.object({
          usable: z.boolean().describe('As far as that shows without fetching or opening it'),
          message: z.string().nullable().describe('Why it is not; null when it is'),
        }),
      )
      .describe('In the order of the request'),
  })
  .meta({ id: 'MediaCheck' });
