import { randomUUID } from 'node:crypto';

/** A random id of 122 bits, which cannot be guessed. Node generates UUIDs in batches, but `randomBytes` calls the system for each id. */
export const randomId = (): string =>
  Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
