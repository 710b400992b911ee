/** Packages that are installed without the server. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/info.ts';

/** Their folders. */
export const PACKAGES = ['client', 'sdk/typescript'] as const;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(packageRoot, folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Installs the result of `npm pack` like `npm install`. Dependencies come from this checkout, so no registry
 * is used.
 */
export function installPacked(folder: string, to: string): void {
  const pack = ['pack', path.join(packageRoot, folder), '--json', '--pack-destination', to];
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const said = execFileSync('npm', pack, { cwd: packageRoot, encoding: 'utf8', stdio: [...stdio] });
  const [{ filename }] = JSON.parse(said) as [{ filename: string }];
  const { name, dependencies } = manifestOf(folder);
  const modules = path.join(to, 'node_modules');
  mkdirSync(path.join(modules, path.dirname(name)), { recursive: true });
  execFileSync('tar', ['xzf', path.join(to, filename), '-C', modules]);
  renameSync(path.join(modules, 'package'), path.join(modules, name));
  for (const one of [...Object.keys(dependencies), 'typescript', '@typescript', 'undici-types']) {
    mkdirSync(path.dirname(path.join(modules, one)), { recursive: true });
    symlinkSync(path.join(packageRoot, 'node_modules', one), path.join(modules, one));
  }
}
