/** The owner of a job. */
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

/** Whose jobs somebody may see: everybody's, or those of this user and of this group. */
export type Sight = 'ALL' | Partial<Owner>;

/** Which jobs users see: all, their own, or also those of their group. */
export const VISIBILITIES = ['all', 'own', 'group'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** What a user without the role ADMIN sees; a user whose token says nothing sees no job, unless all are seen. */
export function sightOf(viewer: Owner | undefined, visibility: Visibility): Sight {
  if (visibility === 'all') return 'ALL';
  if (viewer === undefined) return {};
  return visibility === 'own' ? { user: viewer.user } : viewer;
}

/** Whether a user may see a job. A job without an owner is visible only to users who see all jobs. */
export function isSeen(owner: Owner | undefined, sight: Sight): boolean {
  if (sight === 'ALL') return true;
  if (owner === undefined) return false;
  return owner.user === sight.user || (owner.group !== undefined && owner.group === sight.group);
}

/** How names of indexes and counters begin that have the jobs of this user, and of this group, alone. */
export function scopesOf({ user, group }: Partial<Owner> = {}): readonly string[] {
  return [
    ...(user === undefined ? [] : [`user:${encodeName(user)}/`]),
    ...(group === undefined ? [] : [`group:${encodeName(group)}/`]),
  ];
}

/** How counters of the jobs of this owner begin: those of a user stand by group, as users change groups. */
export function placesOf(owner: Owner | undefined, start: string): readonly string[] {
  if (owner === undefined) return [];
  const [user, group] = scopesOf(owner);
  const ofUser = `${start}${user}${encodeName(owner.group ?? '')}/`;
  return group === undefined ? [ofUser] : [ofUser, start + group];
}

/** Without a slash, at which such a beginning ends. */
export const encodeName = (name: string): string => encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '\uFFFD'));
