/** The owner of a job. */
export interface Owner {
  /** Subject of the token, or its client, or the name of the user. */
  readonly user: string;
  /** Value of OIDC_GROUP_CLAIM_NAME. Absent if the user has no group. */
  readonly group?: string;
}

/** The identity in a token. */
export interface Identity {
  readonly subject: string | null;
  readonly client: string | null;
  readonly name: string;
  readonly group: string | null;
}

/** The name of a user whose token has neither subject, client nor name. */
export const NAMELESS = 'unknown';

/** Returns undefined if the token does not identify its user. */
export function ownerOf({ subject, client, name, group }: Identity): Owner | undefined {
  const user = subject ?? client ?? (name === NAMELESS ? undefined : name);
  if (user === undefined) return undefined;
  return group === null ? { user } : { user, group };
}

/** The jobs that a user may see: all, or those of this user and of this group. */
export type Sight = 'ALL' | Partial<Owner>;

/** Values of JOB_VISIBILITY: users see all jobs, their own, or also those of their group. */
export const VISIBILITIES = ['all', 'own', 'group'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** The sight of a user without the role ADMIN. A user without an identity sees no job, unless all are visible. */
export function sightOf(viewer: Owner | undefined, visibility: Visibility): Sight {
  if (visibility === 'all') return 'ALL';
  if (viewer === undefined) return {};
  return visibility === 'own' ? { user: viewer.user } : viewer;
}

/** True if a user may see a job. A job without an owner is visible only to users who see all jobs. */
export function isSeen(owner: Owner | undefined, sight: Sight): boolean {
  if (sight === 'ALL') return true;
  if (owner === undefined) return false;
  return owner.user === sight.user || (owner.group !== undefined && owner.group === sight.group);
}

/** Prefixes of the names of indexes and counters with only the jobs of this user, and of this group. */
export function scopesOf({ user, group }: Partial<Owner> = {}): readonly string[] {
  return [
    ...(user === undefined ? [] : [`user:${encodeName(user)}/`]),
    ...(group === undefined ? [] : [`group:${encodeName(group)}/`]),
  ];
}

/** Prefixes of the counters for jobs of this owner. Those of a user are separate for each group, because users change groups. */
export function placesOf(owner: Owner | undefined, start: string): readonly string[] {
  if (owner === undefined) return [];
  const [user, group] = scopesOf(owner);
  const ofUser = `${start}${user}${encodeName(owner.group ?? '')}/`;
  return group === undefined ? [ofUser] : [ofUser, start + group];
}

/** Encodes a name without slashes, because a slash ends such a prefix. */
export const encodeName = (name: string): string => encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '\uFFFD'));
