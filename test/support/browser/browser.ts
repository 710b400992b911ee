/** What a browser does with addresses, cookies, redirections and forms; it runs no scripts. */
import { request } from 'node:http';

export interface Shown {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** All attributes, in small letters. */
  readonly attributes: readonly string[];
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The page that asks; absent: somebody has typed the address. */
  readonly from?: string;
  readonly mode?: 'navigate' | 'cors' | 'no-cors';
}

const MOST_REDIRECTIONS = 20;

export class Browser {
  /** By host name: ports of a host share their cookies. */
  readonly #cookies = new Map<string, Map<string, Cookie>>();
  /** Addresses that were asked for, in order. */
  readonly visited: string[] = [];

  /** Also sends it as browsers with TLS in front would: here TLS ends nowhere. */
  cookie(host: string, name: string): Cookie | undefined {
    return this.#cookies.get(host)?.get(name);
  }

  names(host: string): readonly string[] {
    return [...(this.#cookies.get(host)?.keys() ?? [])];
  }

  plant(host: string, name: string, value: string): void {
    this.#of(host).set(name, { name, value, path: '/', attributes: [] });
  }

  /** One request, with the headers that a browser adds; redirections are not followed. */
  ask(
    address: string,
    { method = 'GET', headers = {}, body, from, mode = 'navigate' }: Asked = {},
  ): Promise<Shown> {
    const url = new URL(address);
    this.visited.push(url.href);
    const site = from === undefined ? 'none' : siteOf(from, url);
    const origin = method === 'GET' || from === undefined ? {} : { origin: new URL(from).origin };
    const all = {
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
      ...origin,
      ...this.#headersFor(url),
      ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    };
    // A browser that tells nothing is made by an empty header.
    const told = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    return new Promise((resolve, reject) => {
      const asking = request(url, { method, headers: told }, (answer) => {
        this.#keep(url, answer.headers['set-cookie'] ?? []);
        answer.setEncoding('utf8');
        let text = '';
        answer.on('data', (piece: string) => (text += piece));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, url: url.href, text, headers: answer.headers }),
        );
        answer.on('error', reject);
      });
      asking.once('error', reject);
      asking.end(body);
    });
  }

  /** Goes there, and on to wherever it is led. */
  async go(address: string, asked: Asked = {}): Promise<Shown> {
    let shown = await this.ask(address, asked);
    for (let n = 0; n < MOST_REDIRECTIONS; n++) {
      const location = locationOf(shown);
      if (location === undefined) return shown;
      shown = await this.ask(location, { from: asked.from ?? location });
    }
    throw new Error(`Too many redirections: ${this.visited.slice(-MOST_REDIRECTIONS).join(' ')}`);
  }

  /** Submits the form of a page by a button, given by what it says. */
  submit(page: Shown, button?: string): Promise<Shown> {
    const [, attributes = '', content = ''] = /<form([^>]*)>([\s\S]*?)<\/form>/.exec(page.text) ?? [];
    const action = attribute(attributes, 'action') ?? page.url;
    const fields = [...content.matchAll(/<input([^>]*)>/g)].map(([, text = '']) => fieldOf(text));
    const buttons = [...content.matchAll(/<button([^>]*)>([^<]*)<\/button>/g)]
      .filter(([, , says]) => says === button)
      .map(([, text = '']) => fieldOf(text));
    const body = new URLSearchParams([...fields, ...buttons]).toString();
    return this.go(new URL(action, page.url).href, { method: 'POST', body, from: page.url });
  }

  #of(host: string): Map<string, Cookie> {
    const known = this.#cookies.get(host) ?? new Map<string, Cookie>();
    this.#cookies.set(host, known);
    return known;
  }

  #headersFor({ hostname, pathname }: URL): Record<string, string> {
    const fitting = [...this.#of(hostname).values()].filter(
      ({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
    );
    if (fitting.length === 0) return {};
    return { cookie: fitting.map(({ name, value }) => `${name}=${value}`).join('; ') };
  }

  #keep({ hostname }: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...rest] = line.split(';').map((part) => part.trim());
      const split = pair.indexOf('=');
      const [name, value] = [pair.slice(0, split), pair.slice(split + 1)];
      const attributes = rest.map((one) => one.toLowerCase());
      const valueOf = (which: string) =>
        rest.find((one) => one.toLowerCase().startsWith(`${which}=`))?.slice(which.length + 1);
      const expires = Date.parse(valueOf('expires') ?? '');
      if (value === '' || expires <= Date.now()) this.#of(hostname).delete(name);
      else this.#of(hostname).set(name, { name, value, path: valueOf('path') ?? '/', attributes });
    }
  }
}

/** Where a browser is led on to. */
export function locationOf({ status, headers, url }: Shown): string | undefined {
  const { location, refresh } = headers;
  if (typeof refresh === 'string') return new URL(refresh.replace(/^0; url=/, ''), url).href;
  return status >= 300 && status < 400 && typeof location === 'string'
    ? new URL(location, url).href
    : undefined;
}

const siteOf = (from: string, to: URL) => {
  const { origin, hostname } = new URL(from);
  if (origin === to.origin) return 'same-origin';
  return hostname === to.hostname ? 'same-site' : 'cross-site';
};

const fieldOf = (text: string): [string, string] => [
  attribute(text, 'name') ?? '',
  attribute(text, 'value') ?? '',
];
const attribute = (text: string, name: string) =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');
