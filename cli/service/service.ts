/** The service that a command uses: a running one, or one that is started for this command only. */
import path from 'node:path';
import { DEVELOPMENT_CLIENT_ID, DEVELOPMENT_PATH } from '../../http/access/development-names.ts';
import { loadOrCreateDevelopmentSecrets } from '../../http/access/development-secrets.ts';
import type { CliSettings } from '../../config/cli.ts';
import type { Settings } from '../../config/settings.ts';
import { explain, Failure } from '../terminal/failure.ts';
import { findHolder, HEALTH_MS } from './holder.ts';
import { askOnce } from '../../components/sdk/connection/one-request.ts';
import { RestClient } from '../../client/rest-client.ts';
import { isHeld, reasonNotToStart } from './serve.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { requestToken } from '../../components/sdk/connection/token-request.ts';
import { givenToken, renewedToken, type TokenSource } from '../../client/token-source.ts';

export interface Service {
  readonly client: RestClient;
  /** True if the service was started for this command. It can read the folders of the command's media, and stops with the command. */
  readonly embedded: boolean;
  stop(): Promise<void>;
}

/** Another service uses the data folder, or is starting in it. */
export class HeldError extends Failure {}

/** Returns a running service: at `url` if given, else the one that uses DATA_DIR. Returns undefined if there is none. */
export async function findService(
  settings: CliSettings,
  terminal: Terminal,
  url?: string,
): Promise<Service | undefined> {
  const holder = await findHolder(settings.dataDir);
  const found = url ?? holder?.address;
  if (found === undefined) return undefined;
  const own =
    holder !== undefined && [holder.url, holder.address].some((address) => sameAddress(address, found));
  const client = new RestClient(found, tokensFor(found, settings, own), undefined, (text) =>
    terminal.note(text),
  );
  return { client, embedded: false, stop: () => Promise.resolve() };
}

/** Starts a service in this process. Its log is DATA_DIR/server.log. @throws HeldError, Failure */
export async function startService(settings: Settings): Promise<Service> {
  try {
    // loaded when needed, because most commands start no server
    const [{ startServer }, { createLogger }] = await Promise.all([
      import('../../main.ts'),
      import('../terminal/logger.ts'),
    ]);
    const logger = createLogger(settings.LOG_LEVEL, path.join(settings.DATA_DIR, 'server.log'));
    const server = await startServer(settings, { logger });
    const client = new RestClient(server.url, developmentTokens(server.url, settings.DATA_DIR));
    return { client, embedded: true, stop: () => server.stop() };
  } catch (error) {
    const reason = `The service did not start: ${reasonNotToStart(error, settings) ?? explain(error)}`;
    throw isHeld(error) ? new HeldError(reason) : new Failure(reason);
  }
}

/** Returns the token source. The secret of the embedded provider is sent only to the server of this data folder. */
function tokensFor(url: string, { token, client, dataDir }: CliSettings, own: boolean): TokenSource {
  if (token !== undefined)
    return givenToken(
      token,
      'The token in TROUPE_TOKEN is not valid for this service, or has expired: set a new one.',
    );
  if (client !== undefined)
    return renewedToken(
      () => requestToken(client),
      'Check that its client may use this service (roles, audience).',
    );
  if (own) return developmentTokens(url, dataDir);
  throw new Failure(
    `The service at ${url} needs a token: set TROUPE_TOKEN, or TROUPE_ISSUER_URI, TROUPE_CLIENT_ID and TROUPE_CLIENT_SECRET ` +
      '(or DATA_DIR to its data folder, if it runs on this machine with its own provider).',
  );
}

/** Returns tokens of the development provider, which is part of a server without OpenID Connect settings. */
export function developmentTokens(url: string, dataDir: string): TokenSource {
  const issuer = `${url.replace(/(?<!\/)\/+$/, '')}${DEVELOPMENT_PATH}`;
  const request = async () => {
    await mustIssueTokens(url, issuer);
    const { clientSecret } = await loadOrCreateDevelopmentSecrets(dataDir);
    return requestToken({ issuer, clientId: DEVELOPMENT_CLIENT_ID, clientSecret });
  };
  return renewedToken(request, `Its provider and the secrets in ${dataDir} do not fit: restart the service.`);
}

async function mustIssueTokens(url: string, issuer: string): Promise<void> {
  const configuration = `${issuer}/.well-known/openid-configuration`;
  const found = await askOnce(configuration, { withinMs: HEALTH_MS }).catch(() => undefined);
  if (found?.status !== 404) return;
  throw new Failure(
    `The service at ${url} accepts tokens of an external OpenID Connect provider and issues none itself: ` +
      'get one from that provider and set TROUPE_TOKEN.',
  );
}

function sameAddress(a: string, b: string): boolean {
  return (
    URL.canParse(a) &&
    URL.canParse(b) &&
    new URL(a).href.replace(/(?<!\/)\/+$/, '') === new URL(b).href.replace(/(?<!\/)\/+$/, '')
  );
}
