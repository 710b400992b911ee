import { createHmac, randomBytes } from 'node:crypto';
import type { LoginChecks } from '../../egress/login-provider.ts';

/** A login that a browser has started. */
export interface PendingLogin {
  readonly checks: LoginChecks;
  /** Path to which the browser returns after the login. */
  readonly to: string;
}

const TICKET = /^[\w-]{43}\.([0-9a-z]{1,11})\.([\w-]*)$/;

/**
 * Logins between a browser's departure to the provider and its return. The server stores nothing, because requests of /login could fill the
 * store. The browser keeps a ticket. The server derives the secrets for checking the provider's answer from the ticket and a key of all
 * servers. Any server can therefore finish the login.
 */
export class PendingLogins {
  readonly #key: Buffer;
  readonly #lifeMs: number;
  readonly #now: () => number;

  /** `secret`: shared by all servers to which browsers may return, and by no other program. */
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

  /**
   * Returns the login of this ticket. Returns undefined if the ticket is malformed or expired. The state in the provider's answer proves
   * that it is genuine.
   */
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
