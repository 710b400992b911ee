/** Settings of a test server or node, and values of `TUNING`, which the environment cannot change. */
import { readSettings, SETTING_NAMES, type Settings } from '../../../config/settings.ts';
import { SECRET_SETTINGS } from '../../../config/secret-files.ts';
import { TUNING, type Tuning } from '../../../config/tuning.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that processes of tests inherit from the test. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'LD_LIBRARY_PATH'];
/** Node itself reads the last one. */
const FILES = SECRET_SETTINGS.map((name) => `${name}_FILE`);
const KNOWN = new Set([...SETTING_NAMES, ...FILES, ...INHERITED, 'NODE_EXTRA_CA_CERTS']);
/** Prefixes of the properties of all jobs, and of the variables of the tracing library. */
const READ_ELSEWHERE = /^(TROUPE_PROP|OTEL)_/;

export const inheritSettings = (): Environment =>
  Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]));

export interface Given {
  /** Settings and inherited variables. */
  readonly env: Environment;
  readonly tuning: Partial<Tuning>;
}

/** @throws Error for a name that is neither a setting nor a value of `TUNING`, because it would have no effect */
export function splitNames(names: Environment): Given {
  const all = Object.entries(names);
  const unknown = all.map(([name]) => name).filter((name) => !isKnown(name) && !isTuning(name));
  if (unknown.length > 0) throw new Error(`Neither a setting nor a name of TUNING: ${unknown.join(', ')}.`);
  return {
    env: Object.fromEntries(all.filter(([name]) => !isTuning(name))),
    tuning: Object.fromEntries(
      all.filter(([name]) => isTuning(name)).map(([name, value]) => [name, Number(value)]),
    ),
  };
}

/** The settings of a server in the process of the test. */
export function settingsOf(names: Environment): Settings {
  const { env, tuning } = splitNames(names);
  return { ...readSettings(env), ...tuning };
}

/** @throws Error for a name that is no setting */
export function onlySettings(names: Environment): Environment {
  const unknown = Object.keys(names).filter((name) => !isKnown(name));
  if (unknown.length > 0) throw new Error(`No setting: ${unknown.join(', ')}.`);
  return names;
}

const isKnown = (name: string): boolean => KNOWN.has(name) || READ_ELSEWHERE.test(name);
const isTuning = (name: string): boolean => Object.hasOwn(TUNING, name);
