/** Reads the files of deploy/ like the programs that use them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { accessEnvironment } from '../../config/access.ts';
import { CLI_VARIABLES } from '../../config/cli.ts';
import { packageRoot } from '../../config/info.ts';
import { serverEnvironment } from '../../config/schema/server.ts';

export type Environment = Readonly<Record<string, string>>;

export const pathOf = (name: string) => path.join(packageRoot, 'deploy', name);
export const textOf = (name: string) => readFileSync(pathOf(name), 'utf8');
export const has = (program: string) => spawnSync('which', [program]).status === 0;

/** The parsed content of a YAML file. */
export const yamlOf = (name: string): unknown => parseYaml(textOf(name));

/** Variables of a file with one line NAME=value each. */
export const variablesOf = (name: string): Environment =>
  Object.fromEntries([...textOf(name).matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key!, value!]));

/** Replaces `${NAME}`, `${NAME:-value}` and `${NAME:?sentence}` in the text, like compose does. */
export function withValues(text: string, values: Environment): string {
  return text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, sign?: string, word?: string) => {
    const value = values[name] ?? (sign === '-' ? word : undefined);
    if (value === undefined) throw new Error(`Nothing says what ${name} is.`);
    return value;
  });
}

/** Whether a server, a node or the tool reads this variable. */
export const isSetting = (name: string): boolean =>
  name in serverEnvironment.shape || name in accessEnvironment.shape || name in CLI_VARIABLES;

/** Errors of nginx for these lines in its `http` block. `folder` is for its files. */
export function objectionsOfNginx(lines: string, folder: string): readonly string[] {
  mkdirSync(path.join(folder, 'logs'));
  const file = path.join(folder, 'nginx.conf');
  const frame = `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${lines}}\n`;
  writeFileSync(file, frame);
  const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', file], { encoding: 'utf8' });
  return status === 0 && !/warn|emerg/.test(stderr) ? [] : stderr.split('\n');
}

/** Errors of HAProxy for this configuration, which is written into the folder; empty: none. */
export function objectionOfHaproxy(lines: string, folder: string): string {
  const file = path.join(folder, 'haproxy.cfg');
  writeFileSync(file, lines);
  const { status, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
  return status === 0 && !/warning/i.test(stderr) ? '' : stderr;
}
