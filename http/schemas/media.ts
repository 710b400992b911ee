import { z } from 'zod';
import { wholeNumber } from './common.ts';

/** Uploaded media (not in the specification). */
export const uploadId = z.string().meta({
  description: 'The id from the answer to the upload',
  examples: ['mhq2x9k0-0123456789abcdef01234567'],
});

export const uploadQuery = z.strictObject({
  name: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      'Name of the file. mediaUri ends with it, with unusual characters replaced; its extension helps to distinguish text formats',
    ),
});

export const upload = z
  .object({
    id: uploadId,
    mediaUri: z.string().describe('The mediaUri for jobs of this service'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of the file in hexadecimal digits; equal files are stored once'),
    bytes: z.int().min(1).describe('Size of the file: bytes'),
    expires: z.iso.datetime().describe('When the server removes it; later if a live job still uses it'),
  })
  .meta({ id: 'UploadedMedium' });

/** Starts an upload in pieces. */
export const pieceUploadRequest = z
  .object({
    name: uploadQuery.shape.name,
    bytes: z.int().min(1).describe('Bytes of the whole medium'),
  })
  .meta({ id: 'PieceUploadRequest' });

export const pieceQuery = z.strictObject({
  offset: wholeNumber(0, Number.MAX_SAFE_INTEGER).meta({
    description: 'Where the piece begins in the medium: bytes; it must be `received`',
    examples: [8_388_608],
  }),
});

export const pieceUpload = z
  .object({
    id: uploadId,
    bytes: z.int().min(1).describe('Bytes of the whole medium'),
    received: z.int().min(0).describe('Bytes that are stored; the next piece begins here'),
    mediaUri: z
      .string()
      .nullable()
      .meta({
        description: 'The mediaUri for jobs of this service; null: pieces are missing',
        examples: ['file:///data/uploads/mhq2x9k0-0123456789abcdef01234567/street.mp4'],
      }),
    expires: z.iso
      .datetime()
      .describe('When it is removed; each piece of an unfinished upload extends this to a day'),
  })
  .meta({ id: 'PieceUpload' });

/** Request for a check whether a job of this service could use these media. */
export const mediaCheckRequest = z
  .object({
    mediaUris: z.array(z.string().min(1)).min(1).describe('URIs of media, as a job would name them'),
  })
  .meta({ id: 'MediaCheckRequest' });

export const mediaCheck = z
  .object({
    media: z
      .array(
        z.object({
          usable: z.boolean().describe('Whether a job can use it, checked without opening it'),
          message: z.string().nullable().describe('Why it is not usable; null: it is'),
        }),
      )
      .describe('In the order of the request'),
  })
  .meta({ id: 'MediaCheck' });

/** The time of each frame of a medium. */
export const frameTable = z
  .object({
    frames: z.int().min(0).describe('Number of frames'),
    fps: z.number().min(0).describe('Frames per second, or the mean of a variable rate; 0: unknown'),
    constantRate: z.boolean().describe('true: each frame is shown for the same time'),
    runs: z
      .array(z.tuple([z.number(), z.number(), z.int().min(1)]))
      .describe(
        'Frames one after the other: [start, delta, count]. The i-th frame of a run (from 0) is shown from floor(start + i * delta + 0.000001) milliseconds on',
      ),
  })
  .meta({ id: 'FrameTable' });
