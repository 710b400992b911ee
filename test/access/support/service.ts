// A Koa application like that of the product, over real HTTP: /whoami for every role, /admin for ADMIN.
import { createServer, type Server } from 'node:http';
import Koa from 'koa';
import type { AccessSettings, ProviderSettings } from '../../../config/access.ts';
import { createAccess } from '../../../http/access/index.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly challenge: string | null;
  readonly retryAfter: string | null;
}

export interface LogLine {
  readonly level: string;
  readonly details: object;
  readonly message: string;
}

export interface TestService {
  readonly baseUrl: string;
  readonly log: readonly LogLine[];
  readonly ask: (token?: string, path?: string) => Promise<Answer>;
  readonly advance: (ms: number) => void;
  readonly close: () => Promise<void>;
}

/** `port` 0: any free port, so the base URL is known only when the server listens. */
export async function startService(
  settings: AccessSettings,
  { dataDir = '/nonexistent', port = 0 } = {},
): Promise<TestService> {
  let passed = 0;
  const log: LogLine[] = [];
  const line = (level: string) => (details: object, message: string) =>
    void log.push({ level, details, message });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const baseUrl = addressOf(server);
  const access = await createAccess(settings, {
    baseUrl,
    dataDir,
    refusalsAMinute: 60,
    logger: { info: line('info'), warn: line('warn'), error: line('error') },
    clock: () => Date.now() + passed,
  });
  const app = new Koa();
  if (access.routes !== undefined) app.use(access.routes);
  app.use(access.authenticate);
  app.use(async (ctx, next) => {
    if (ctx.path === '/admin') await access.requireAdmin(ctx, next);
    else await next();
  });
  app.use((ctx) => {
    ctx.body = (ctx.state as { user: object }).user;
  });
  const handle = app.callback();
  server.on('request', (request, response) => void handle(request, response));
  return {
    baseUrl,
    log,
    ask: (token, path = '/whoami') => ask(`${baseUrl}${path}`, token),
    advance: (ms) => {
      passed += ms;
    },
    close: () => closeServer(server),
  };
}

export function providerSettings(issuer: string, change: Partial<ProviderSettings> = {}): ProviderSettings {
  return {
    mode: 'provider',
    issuer,
    tokenIssuer: issuer,
    clientId: 'service',
    clientSecret: 'unused',
    roles: {
      user: { name: 'groups', value: 'media-users' },
      admin: { name: 'groups', value: 'media-admins' },
    },
    scopes: ['openid'],
    userNameClaim: 'sub',
    lenientTokens: false,
    allowHttp: false,
    ...change,
  };
}

async function ask(url: string, token: string | undefined): Promise<Answer> {
  const response = await fetch(
    url,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  );
  return {
    status: response.status,
    body: await response.text(),
    challenge: response.headers.get('www-authenticate'),
    retryAfter: response.headers.get('retry-after'),
  };
}

export function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return `http://127.0.0.1:${String(address.port)}`;
}

export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
