import { expandRedirectUri, REDIRECT_PATH } from '../../config/redirect-uri.ts';

/** Where browsers find the server. */
export interface BrowserUrl {
  /** Without a slash at its end. */
  readonly href: string;
  readonly origin: string;
  /** The path before all paths of the server; '' or one without a slash at its end. */
  readonly basePath: string;
  readonly https: boolean;
  /** Where the provider sends them after the login. */
  readonly redirectUri: string;
}

/** From OIDC_REDIRECT_URI (`template`) if it is set, because the provider sends browsers there; otherwise from the base URL. */
export function browserUrl(baseUrl: string, template?: string): BrowserUrl {
  const given = template === undefined ? undefined : expandRedirectUri(template, baseUrl);
  const href = (given?.slice(0, -REDIRECT_PATH.length) ?? baseUrl).replace(/(?<!\/)\/+$/, '');
  const { origin, pathname, protocol } = new URL(href);
  return {
    ...{ href, origin, basePath: pathname.replace(/\/$/, ''), https: protocol === 'https:' },
    redirectUri: given ?? `${href}${REDIRECT_PATH}`,
  };
}
