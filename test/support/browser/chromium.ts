/** A real browser on the page of a service: Debian's chromium. */
import { spawnSync } from 'node:child_process';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findHolder } from '../../../cli/service/holder.ts';
import { loginLink } from '../../../cli/service/login.ts';
import type { Role } from '../../../http/access/roles.ts';

const PROGRAM = spawnSync('which', ['chromium']).stdout.toString().trim();

/** Where it is missing, tests that need it are left out (test/requirements.mjs says so). */
export const hasChromium = PROGRAM !== '';

type Size = Readonly<Record<'width' | 'height', number>>;
const USUAL_SIZE = { width: 1280, height: 720 };

/** A service on this machine, and the folder of its secrets. */
type Service = Readonly<Record<'url' | 'dataDir', string>>;

export class Reader {
  readonly page: Page;
  /** What the browser complained of: errors of scripts, refused policies, files that are not there. */
  readonly complaints: string[] = [];
  /** Addresses of other servers that were asked for. */
  readonly foreign: string[] = [];

  constructor(page: Page, service: Service) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('request', (request) => {
      const url = request.url();
      if (/^https?:/.test(url) && !url.startsWith(`${originOf(service)}/`)) this.foreign.push(url);
    });
  }
}

const originOf = ({ url }: Service) => new URL(url).origin;

/** A link that lets a browser in, made of the secrets of the service's data folder. */
export async function loginLinkOf({ dataDir }: Service, role: Role = 'ADMIN'): Promise<string> {
  const holder = await findHolder(dataDir);
  if (holder === undefined) throw new Error('no server holds the data folder');
  return loginLink(holder, dataDir, role);
}

export class Chromium {
  readonly #browser: Browser;
  /** Contexts in which somebody has logged in, by the data folder of the service and the role: what they have loaded they do not load again. */
  readonly #loggedIn = new Map<string, BrowserContext>();

  /** One in which nobody is logged in, for who comes next: what it has loaded serves him, too. */
  #loggedOut: BrowserContext | undefined;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<Chromium> {
    // Tests run as root in containers, where its sandbox cannot.
    return new Chromium(
      await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-dev-shm-usage'] }),
    );
  }

  /**
   * A reader who is logged in, at this place of the page. The first of a role logs in, and goes on where another comes after him: what the
   * page has loaded it does not load again. Pages of others are closed.
   */
  async reader(
    service: Service,
    place: string,
    { as = 'ADMIN', size = USUAL_SIZE }: { readonly as?: Role; readonly size?: Size } = {},
  ): Promise<Reader> {
    const key = keyOf(service, as);
    const known = this.#loggedIn.get(key);
    const context = known ?? (await this.#withNobody());
    if (known === undefined) this.#loggedOut = undefined;
    const reader = new Reader(freePage(context.pages()[0]) ?? (await context.newPage()), service);
    const others = this.#browser.contexts().filter((other) => other !== context);
    await Promise.all(others.flatMap((other) => other.pages()).map((page) => page.close()));
    await reader.page.unrouteAll();
    await reader.page.setViewportSize(size);
    if (known) await reader.page.goto(`${service.url}/${place}`);
    else {
      await reader.page.goto(`${await loginLinkOf(service, as)}&to=${encodeURIComponent(`/${place}`)}`);
      await reader.page.getByRole('button', { name: 'Log in', exact: true }).click();
    }
    await reader.page.getByLabel(/^Account of /).waitFor();
    if (known === undefined) this.#loggedIn.set(key, context);
    return reader;
  }

  /** Somebody who has not logged in. */
  async stranger(service: Service, place: string): Promise<Reader> {
    const context = await this.#withNobody();
    const reader = new Reader(freePage(context.pages()[0]) ?? (await context.newPage()), service);
    await reader.page.goto(`${service.url}/${place}`);
    return reader;
  }

  /** A file, opened by somebody whose browser runs no scripts of pages. */
  async offline(
    address: string,
  ): Promise<{ readonly page: Page; readonly complaints: string[]; readonly requests: string[] }> {
    const context = await this.#browser.newContext({ javaScriptEnabled: false, offline: true });
    const page = await context.newPage();
    const [complaints, requests]: [string[], string[]] = [[], []];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) requests.push(request.url());
    });
    await page.goto(address);
    return { page, complaints, requests };
  }

  /** Told that the readers of a role have logged out. */
  loggedOut(service: Service, as: Role): void {
    const key = keyOf(service, as);
    this.#loggedOut = this.#loggedIn.get(key);
    this.#loggedIn.delete(key);
  }

  async #withNobody(): Promise<BrowserContext> {
    return (this.#loggedOut ??= await this.#browser.newContext());
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

const keyOf = ({ dataDir }: Service, role: string) => `${dataDir} ${role}`;

/** A page that nobody listens to any more. */
function freePage(page: Page | undefined): Page | undefined {
  for (const event of ['console', 'dialog', 'pageerror', 'request', 'requestfailed', 'requestfinished'])
    page?.removeAllListeners(event);
  return page;
}
