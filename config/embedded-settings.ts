import { readSettings, type Settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settings of a service that one command starts for itself. It uses a free port of this machine, its own development provider whatever the
 * environment says, and `mediaFolders` among its media roots.
 */
export function readEmbeddedSettings(
  mediaFolders: readonly string[],
  own: Environment = {},
  env: Environment = process.env,
): Settings {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('OIDC_') && name !== 'BASE_URL');
  const settings = readSettings({ ...Object.fromEntries(kept), ...own, HOST: '127.0.0.1', PORT: '0' });
  return { ...settings, MEDIA_ROOTS: [...settings.MEDIA_ROOTS, ...mediaFolders] };
}
