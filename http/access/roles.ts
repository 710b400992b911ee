import type { ClaimMatch, RoleClaims } from '../../config/access.ts';
import { NAMELESS } from '../../domain/users/owner.ts';

export type Role = 'USER' | 'ADMIN';
export type Claims = Readonly<Record<string, unknown>>;

/** Returns the roles that the claims of a verified token grant (specification 5, point 4). ADMIN and USER are granted separately. */
export function rolesOf(claims: Claims, { user, admin }: RoleClaims): Role[] {
  return [
    ...(matches(claims, admin) ? (['ADMIN'] as const) : []),
    ...(matches(claims, user) ? (['USER'] as const) : []),
  ];
}

/** True if the claims contain the wanted claim with its value. */
export const isGranted = (claims: Claims, wanted: ClaimMatch): boolean => matches(claims, wanted);

/** Returns a message that names the claim that a token lacks. */
export const notGrantedMessage = (claims: Claims, { name, value }: ClaimMatch): string =>
  oneClaimMessage(claims, name, [value]);

/** Returns the user and the client that the claims name. Returns undefined if the claim is missing. */
export function nameOf(
  claims: Claims,
  userNameClaim: string,
): { readonly name: string; readonly subject: string | undefined; readonly client: string | undefined } {
  const subject = textOf(claims['sub']);
  const client = textOf(claims['azp']) ?? textOf(claims['client_id']);
  return { name: textOf(claims[userNameClaim]) ?? subject ?? client ?? NAMELESS, subject, client };
}

/** Returns the group of the user. Null if no claim is configured, or the token lacks it. Of a list, the first entry is used. */
export function groupOf(claims: Claims, groupClaim: string | undefined): string | null {
  if (groupClaim === undefined || !Object.hasOwn(claims, groupClaim)) return null;
  const found = claims[groupClaim];
  return textOf(Array.isArray(found) ? found[0] : found) ?? null;
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

/** Returns a message that names the claim that a token without a role lacks. */
export function noRoleMessage(claims: Claims, { user, admin }: RoleClaims): string {
  if (user === undefined || admin === undefined) {
    const only = user ?? admin;
    return only === undefined ? 'No role is configured.' : oneClaimMessage(claims, only.name, [only.value]);
  }
  if (user.name === admin.name) {
    return oneClaimMessage(claims, admin.name, [...new Set([admin.value, user.value])]);
  }
  if (!Object.hasOwn(claims, user.name) && !Object.hasOwn(claims, admin.name)) {
    return `The token did not contain a claim named "${user.name}" or "${admin.name}".`;
  }
  return (
    `The token's "${user.name}" claim did not contain "${user.value}" ` +
    `and the "${admin.name}" claim did not contain "${admin.value}".`
  );
}

function oneClaimMessage(claims: Claims, name: string, values: readonly string[]): string {
  return Object.hasOwn(claims, name)
    ? `The token's "${name}" claim did not contain ${values.map((value) => `"${value}"`).join(' or ')}.`
    : `The token did not contain a claim named "${name}".`;
}

function matches(claims: Claims, wanted: ClaimMatch | undefined): boolean {
  if (wanted === undefined || !Object.hasOwn(claims, wanted.name)) return false;
  const found = claims[wanted.name];
  const elements: readonly unknown[] = Array.isArray(found) ? found : [found];
  return elements.some((element) => scalarText(element) === wanted.value);
}

function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}
