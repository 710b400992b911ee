import type { Context } from 'koa';
import type { BrowserUrl } from './browser-url.ts';

/** A cookie with HttpOnly and SameSite=Lax: scripts cannot read it, and requests of other sites lack it, except followed links. */
export interface OwnCookie {
  readonly name: string;
  /** Undefined: the browser has none. */
  read(ctx: Context): string | undefined;
  /** `lifeMs`: how long the browser keeps it; absent: until it is closed. */
  write(ctx: Context, value: string, lifeMs?: number): void;
  clear(ctx: Context): void;
}

/**
 * With https its name keeps others from setting it: `__Host-` (this very host, path `/`), or `__Secure-` below a path, where browsers
 * refuse the former. Browsers share cookies between the ports of a host, so with http, as on loopback, the name has the port.
 */
export function ownCookie(purpose: string, { https, basePath, href }: BrowserUrl): OwnCookie {
  const plain = `troupe-${purpose}`;
  const secured = `${basePath === '' ? '__Host-' : '__Secure-'}${plain}`;
  const name = https ? secured : `${plain}-${new URL(href).port || '80'}`;
  const path = basePath === '' ? '/' : basePath;
  const set = (ctx: Context, value: string | null, maxAge?: number): void => {
    // TLS ends at the proxy; that browsers come by https is known from the settings.
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
