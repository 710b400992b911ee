import { expandRedirectUri, REDIRECT_PATH } from '../../config/redirect-uri.ts';

/** URL at which browsers reach the server. */
export interface BrowserUrl {
  /** The URL without a slash at its end. */
  readonly href: string;
  readonly origin: string;
  /** The path before all paths of the server: empty, or without a slash at its end. */
  readonly basePath: string;
  readonly https: boolean;
  /** URL to which the provider sends browsers after the login. */
  readonly redirectUri: string;
}

/**
 * Returns the URL from OIDC_REDIRECT_URI (`template`) if it is set, because the provider sends browsers there. Otherwise uses the base URL.
 */
export function browserUrl(baseUrl: string, template?: string): BrowserUrl {
  const given = template === undefined ? undefined : expandRedirectUri(template, baseUrl);
  const href = (given?.slice(0, -REDIRECT_PATH.length) ?? baseUrl).replace(/(?<!\/)\/+$/, '');
  const { origin, pathname, protocol } = new URL(href);
  return {
    ...{ href, origin, basePath: pathname.replace(/\/$/, ''), https: protocol === 'https:' },
    redirectUri: given ?? `${href}${REDIRECT_PATH}`,
  };
}
