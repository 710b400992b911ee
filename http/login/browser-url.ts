import { REDIRECT_PATH } from '../../config/access.ts';

/** Where browsers find the server. */
export interface BrowserUrl {
  /** Without a slash at its end. */
  readonly href: string;
  readonly origin: string;
  /** The path before all paths of the server; '' or one without a slash at its end. */
  readonly basePath: string;
  readonly https: boolean;
}

/** By OIDC_REDIRECT_URI when it is set, for that is where the provider sends browsers back to; else by the base URL. */
export function browserUrl(baseUrl: string, redirectUri?: string): BrowserUrl {
  const href = (redirectUri?.slice(0, -REDIRECT_PATH.length) ?? baseUrl).replace(/(?<!\/)\/+$/, '');
  const { origin, pathname, protocol } = new URL(href);
  return { href, origin, basePath: pathname.replace(/\/$/, ''), https: protocol === 'https:' };
}
