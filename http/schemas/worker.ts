import { z } from 'zod';
import { DETECTION_ERRORS } from '../../pipeline/types.ts';

/** Bodies of the worker protocol; `components/sdk/protocol.ts` has them as types for the other side. */
const MAX_MESSAGE = 4_000;

export const claimRequest = z.object({
  algorithms: z.array(z.string().trim().toUpperCase().min(1)).min(1).max(64),
  max: z.int().min(1).max(64).default(1),
  waitMs: z.int().min(0).max(25_000).default(0),
});

export const heartbeatRequest = z.object({
  done: z.number().nonnegative().default(0),
  total: z.number().nonnegative().default(0),
});

export const failureRequest = z.object({
  code: z.enum([
    ...DETECTION_ERRORS,
    'OTHER',
    'REMOTE_STORAGE_DOWNLOAD',
    'MEDIA_INSPECTION',
    'FRAME_COUNT',
    'MEDIA_INITIALIZATION',
    'LOCAL_STORAGE',
  ]),
  message: z.string().transform((text) => text.slice(0, MAX_MESSAGE)),
});
