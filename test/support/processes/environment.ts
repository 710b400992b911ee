/** What a test gives to a server or a node: settings, and values of `TUNING`, which are no settings and do not go through the environment. */
import { readSettings, SETTING_NAMES, type Settings } from '../../../config/settings.ts';
import { SECRET_SETTINGS } from '../../../config/secret-files.ts';
import { TUNING, type Tuning } from '../../../config/tuning.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What processes of tests have of the environment of the test. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'LD_LIBRARY_PATH'];
/** Node itself reads the last one. */
const FILES = SECRET_SETTINGS.map((name) => `${name}_FILE`);
const KNOWN = new Set([...SETTING_NAMES, ...FILES, ...INHERITED, 'NODE_EXTRA_CA_CERTS']);
const PROPERTY = /^TROUPE_PROP_/;

export const inheritSettings = (): Environment =>
  Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]));

export interface Given {
  /** Settings, and what is inherited. */
  readonly env: Environment;
  readonly tuning: Partial<Tuning>;
}

/** @throws Error for a name that is neither a setting nor one of `TUNING`: it would have no effect */
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

const isKnown = (name: string): boolean => KNOWN.has(name) || PROPERTY.test(name);
const isTuning = (name: string): boolean => Object.hasOwn(TUNING, name);
