import { generateKeyPair, randomBytes, randomUUID, type JsonWebKey } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeWhole } from '../../files/part-file.ts';

export const SECRETS_FOLDER = 'secrets';
const KEYS_FILE = 'development-signing-keys.json';
const CLIENT_SECRET_FILE = 'troupe-cli.secret';
const NODE_SECRET_FILE = 'nodes.secret';

export type SigningJwk = JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: 'sig' };

/** Secrets of the embedded development provider. Created once for a data directory, so that tokens survive a restart. */
export interface DevelopmentSecrets {
  readonly clientSecret: string;
  /** Signs the tokens of nodes. */
  readonly nodeSecret: string;
  /** Private signing keys. */
  readonly signingKeys: readonly [SigningJwk, ...SigningJwk[]];
}

/** Reads `DATA_DIR/secrets` and creates missing secrets. Only the user of the server can read the folder and its files. */
export async function loadOrCreateDevelopmentSecrets(dataDir: string): Promise<DevelopmentSecrets> {
  const folder = join(dataDir, SECRETS_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const keys = await loadOrCreate(folder, KEYS_FILE, async () =>
    JSON.stringify({ keys: [await newSigningKey()] }),
  );
  const newSecret = () => Promise.resolve(`${randomBytes(32).toString('base64url')}\n`);
  const secret = await loadOrCreate(folder, CLIENT_SECRET_FILE, newSecret);
  const nodeSecret = await loadOrCreate(folder, NODE_SECRET_FILE, newSecret);
  return {
    signingKeys: readChecked(join(folder, KEYS_FILE), () => keysOf(JSON.parse(keys))),
    clientSecret: readChecked(join(folder, CLIENT_SECRET_FILE), () => secretOf(secret.trim())),
    nodeSecret: readChecked(join(folder, NODE_SECRET_FILE), () => secretOf(nodeSecret.trim())),
  };
}

async function newSigningKey(): Promise<SigningJwk> {
  // Creating this key takes a hundredth of the time of an RSA key.
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'ES256', use: 'sig' };
}

async function loadOrCreate(folder: string, name: string, create: () => Promise<string>): Promise<string> {
  const path = join(folder, name);
  try {
    const content = await readFile(path, 'utf8');
    await chmod(path, 0o600);
    return content;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const content = await create();
  await writeWhole(path, (file) => file.writeFile(content), { durable: 'name' });
  return content;
}

function keysOf({ keys }: { readonly keys?: unknown }): DevelopmentSecrets['signingKeys'] {
  if (!Array.isArray(keys) || !keys.every(isSigningKey)) throw new Error('no signing keys');
  const [first, ...others] = keys;
  if (first === undefined) throw new Error('no signing key');
  return [first, ...others];
}

function isSigningKey(key: unknown): key is SigningJwk {
  if (typeof key !== 'object' || key === null) return false;
  const { kid, alg, use, kty, d } = key as Readonly<Record<string, unknown>>;
  return use === 'sig' && [kid, alg, kty, d].every((value) => typeof value === 'string');
}

function secretOf(text: string): string {
  if (!/^[\w-]{32,}$/.test(text)) throw new Error('no secret');
  return text;
}

function readChecked<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch {
    // The error message could quote the secret.
    throw new Error(
      `${path} is damaged. Delete it: the server creates a new one, and older tokens become invalid.`,
    );
  }
}
