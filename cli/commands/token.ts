import { loadOrCreateDevelopmentSecrets } from '../../http/access/development-secrets.ts';
import { joinToken } from '../../http/access/node-tokens.ts';
import { NODE_NAME } from '../../http/schemas/worker/node-sync.ts';
import { readCliSettings } from '../../config/cli.ts';
import { Failure } from '../terminal/failure.ts';
import { findHolder, type Holder } from '../service/holder.ts';
import { developmentTokens } from '../service/service.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Prints only a bearer token for the service that runs in DATA_DIR with its own provider. If a node name is given, prints the token with
 * which that node joins the service.
 */
export async function token(terminal: Terminal, node?: string): Promise<void> {
  const { dataDir } = readCliSettings();
  const holder = await findHolder(dataDir);
  if (holder === undefined)
    throw new Failure(
      `No service runs in ${dataDir}: start one (troupe serve), or set DATA_DIR to the folder of one that runs.`,
    );
  terminal.print(
    node === undefined
      ? await developmentTokens(holder.address, dataDir).current()
      : await tokenOfNode(node, holder, dataDir),
  );
}

async function tokenOfNode(node: string, { access }: Holder, dataDir: string): Promise<string> {
  if (!NODE_NAME.test(node))
    throw new Failure(
      'The name of a node has 1 to 64 letters, digits, "_", "." and "-", and starts with a letter, a digit or "_".',
    );
  if (access !== 'development')
    throw new Failure(
      'The service uses an OpenID Connect provider. Create a client whose tokens have the claim OIDC_NODE_CLAIM_NAME, and set TROUPE_ISSUER_URI, TROUPE_CLIENT_ID and TROUPE_CLIENT_SECRET on the node.',
    );
  const { nodeSecret } = await loadOrCreateDevelopmentSecrets(dataDir);
  return joinToken(nodeSecret, node, Date.now());
}
