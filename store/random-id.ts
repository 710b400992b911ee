import { randomUUID } from 'node:crypto';

/** An id that nobody guesses: 122 random bits. Node draws those of many ids at a time, where `randomBytes` asks the system for each. */
export const randomId = (): string =>
  Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
