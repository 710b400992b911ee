import { createHmac, randomBytes } from 'node:crypto';
import type { LoginChecks } from '../../egress/login-provider.ts';

/** A login that a browser has begun. */
export interface PendingLogin {
  readonly checks: LoginChecks;
  /** Where the browser goes then. */
  readonly to: string;
}

const TICKET = /^[\w-]{43}\.([0-9a-z]{1,11})\.([\w-]*)$/;

/**
 * Logins between a browser's departure to the provider and its return. Nothing is stored, because requests of /login
 * could fill the store. The browser keeps a ticket. The secrets for checking the provider's answer are derived from it
 * with a key of the servers, so any server can finish the login.
 */
export class PendingLogins {
  readonly #key: Buffer;
  readonly #lifeMs: number;
  readonly #now: () => number;

  /** `secret`: known to all servers that browsers may come back to, and to nobody else. */
  constructor(secret: string, lifeMs: number, now: () => number) {
    this.#key = createHmac('sha256', secret).update('pending logins').digest();
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  begin(to: string): { readonly ticket: string; readonly login: PendingLogin } {
    const began = this.#now().toString(36);
    const ticket = `${randomBytes(32).toString('base64url')}.${began}.${Buffer.from(to).toString('base64url')}`;
    return { ticket, login: { checks: this.#checksOf(ticket), to } };
  }

  /** The login of this ticket; undefined: it is none, or too old. Whether it is genuine the state tells. */
  resume(ticket: string): PendingLogin | undefined {
    const [, began, to] = TICKET.exec(ticket) ?? [];
    if (began === undefined || to === undefined) return undefined;
    if (Math.abs(this.#now() - Number.parseInt(began, 36)) >= this.#lifeMs) return undefined;
    return { checks: this.#checksOf(ticket), to: Buffer.from(to, 'base64url').toString() };
  }

  #checksOf(ticket: string): LoginChecks {
    const deriveKey = (what: string) =>
      createHmac('sha256', this.#key).update(`${what} of ${ticket}`).digest('base64url');
    return { state: deriveKey('state'), nonce: deriveKey('nonce'), verifier: deriveKey('verifier') };
  }
}
