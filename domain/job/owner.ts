/** Whose job it is. */
export interface Owner {
  /** Subject of the token; else its client, else the name of the user. */
  readonly user: string;
  /** What OIDC_GROUP_CLAIM_NAME says; absent: the user has no group. */
  readonly group?: string;
}

/** What a token says about its user. */
export interface Identity {
  readonly subject: string | null;
  readonly client: string | null;
  readonly name: string;
  readonly group: string | null;
}

/** The name of a user whose token says neither subject, client nor name. */
export const NAMELESS = 'unknown';

/** Undefined: the token does not say who its user is. */
export function ownerOf({ subject, client, name, group }: Identity): Owner | undefined {
  const user = subject ?? client ?? (name === NAMELESS ? undefined : name);
  if (user === undefined) return undefined;
  return group === null ? { user } : { user, group };
}
