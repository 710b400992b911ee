import type { Context } from 'koa';
import type { BrowserUrl } from './browser-url.ts';

/** A cookie with HttpOnly and SameSite=Lax. Scripts cannot read it. Requests of other sites do not contain it, except followed links. */
export interface OwnCookie {
  readonly name: string;
  /** Returns undefined if the browser has no such cookie. */
  read(ctx: Context): string | undefined;
  /** `lifeMs`: time for which the browser keeps the cookie. Absent: until the browser is closed. */
  write(ctx: Context, value: string, lifeMs?: number): void;
  clear(ctx: Context): void;
}

/**
 * With https, the name of the cookie prevents other hosts from setting it. The prefix is `__Host-` (this host only, path `/`). Below a path
 * browsers refuse this prefix, so it is `__Secure-`. Browsers share cookies between the ports of a host. With http, as on loopback, the
 * name therefore contains the port.
 */
export function ownCookie(purpose: string, { https, basePath, href }: BrowserUrl): OwnCookie {
  const plain = `troupe-${purpose}`;
  const secured = `${basePath === '' ? '__Host-' : '__Secure-'}${plain}`;
  const name = https ? secured : `${plain}-${new URL(href).port || '80'}`;
  const path = basePath === '' ? '/' : basePath;
  const set = (ctx: Context, value: string | null, maxAge?: number): void => {
    // TLS ends at the proxy. The settings determine whether browsers use https.
    ctx.cookies.secure = https;
    ctx.cookies.set(name, value, {
      path,
      secure: https,
      httpOnly: true,
      sameSite: 'lax',
      signed: false,
      overwrite: true,
      ...(maxAge === undefined ? {} : { maxAge }),
    });
  };
  return {
    name,
    read: (ctx) => ctx.cookies.get(name, { signed: false }),
    write: set,
    clear: (ctx) => set(ctx, null),
  };
}
