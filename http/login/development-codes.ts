import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Role } from '../access/roles.ts';

/** The scope of a code: the secret of the data folder, and the start of the server. */
export interface CodePlace {
  /** A secret that every program knows that may read the secrets in DATA_DIR. */
  readonly secret: string;
  /** Identifies the start of the server. A code expires when the server restarts. */
  readonly server: string;
}

const LIFE_MS = 10 * 60_000;
const CODE = /^([0-9a-z]{1,11})\.(ADMIN|USER)\.[\w-]{22}\.[\w-]{43}$/;

/**
 * Creates a code that logs one browser in with this role, once and within ten minutes. Only a program that can read the secrets can create
 * one.
 */
export function makeCode(place: CodePlace, now: number, role: Role = 'ADMIN'): string {
  const text = `${(now + LIFE_MS).toString(36)}.${role}.${randomBytes(16).toString('base64url')}`;
  return `${text}.${signText(text, place)}`;
}

function signText(text: string, { secret, server }: CodePlace): string {
  return createHmac('sha256', secret).update(`browser login at ${server}: ${text}`).digest('base64url');
}

/** Verifies codes on the server, and accepts each code once. */
export class Codes {
  readonly #place: CodePlace;
  readonly #now: () => number;
  /** Used codes that have not expired, with their expiry. */
  readonly #used = new Map<string, number>();

  constructor(place: CodePlace, now: () => number) {
    this.#place = place;
    this.#now = now;
  }

  isGood(code: string): boolean {
    const end = Number.parseInt(CODE.exec(code)?.[1] ?? '0', 36);
    const now = this.#now();
    // The code contains its own expiry. An expiry too far in the future means that the clock was set back.
    if (end <= now || end > now + LIFE_MS || this.#used.has(code)) return false;
    const split = code.lastIndexOf('.');
    const expected = Buffer.from(signText(code.slice(0, split), this.#place));
    return timingSafeEqual(Buffer.from(code.slice(split + 1)), expected);
  }

  /** Returns the role that the code grants. Returns undefined if the code is not genuine, expired or used. */
  use(code: string): Role | undefined {
    if (!this.isGood(code)) return undefined;
    const now = this.#now();
    for (const [used, end] of this.#used) if (end <= now) this.#used.delete(used);
    this.#used.set(code, Number.parseInt(code, 36));
    return CODE.exec(code)?.[2] as Role;
  }
}
