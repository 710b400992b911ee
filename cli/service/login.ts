import { readCliSettings } from '../../config/cli.ts';
import { loadOrCreateDevelopmentSecrets } from '../../http/access/development-secrets.ts';
import type { Role } from '../../http/access/roles.ts';
import { makeCode } from '../../http/login/development-codes.ts';
import { Failure } from '../terminal/failure.ts';
import { findHolder, type Holder } from './holder.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Prints only a link that logs a browser in to the service in DATA_DIR with this role. */
export async function login(terminal: Terminal, role: Role): Promise<void> {
  const { dataDir } = readCliSettings();
  const holder = await findHolder(dataDir);
  if (holder === undefined)
    throw new Failure(
      `No service runs in ${dataDir}: start one (troupe serve), or set DATA_DIR to the folder of one that runs.`,
    );
  if (holder.access !== 'development' && role !== 'ADMIN')
    throw new Failure(
      'The service uses an OpenID Connect provider, which gives the roles: use troupe login without --role.',
    );
  terminal.print(await loginLink(holder, dataDir, role));
}

/** Returns the login page of a provider, or a link that works once, created from the secrets of the data folder. */
export async function loginLink(
  { url, address, server, access }: Holder,
  dataDir: string,
  role: Role = 'ADMIN',
): Promise<string> {
  if (access !== 'development') return `${url}/login`;
  const { clientSecret: secret } = await loadOrCreateDevelopmentSecrets(dataDir);
  return `${address}/login?code=${makeCode({ secret, server }, Date.now(), role)}`;
}
