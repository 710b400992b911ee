/** `troupe doctor`: checks if a server can run here with these settings, and what to repair. */
import { readCliSettings } from '../../config/cli.ts';
import { ConfigurationError } from '../../config/error.ts';
import { readSettings, type Settings } from '../../config/settings.ts';
import { printable } from '../../domain/text/printable.ts';
import { EXIT } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findHolder, type Holder } from '../service/holder.ts';
import { checkClock } from './clock.ts';
import { findingsOn, reasonOf, type Finding } from './check-result.ts';
import { checkDataFolder, checkFolders, checkModels } from './folders.ts';
import { checkProvider } from './provider.ts';
import { checkPort, checkRunning } from './server.ts';
import { checkStore } from './stores.ts';

/** Prints the findings. The exit code is 1 if there is an error. */
export async function doctor({ json = false }: { readonly json?: boolean }, terminal: Terminal) {
  const findings = await examine();
  if (json) terminal.print(JSON.stringify(findings));
  else for (const line of findings.flatMap(linesOf)) terminal.print(printable(line));
  const count = (level: Finding['level']) => findings.filter((one) => one.level === level).length;
  const errors = count('error');
  if (!json) terminal.print(`\n${errors} errors, ${count('warning')} warnings`);
  return errors > 0 ? EXIT.failed : EXIT.done;
}

const linesOf = ({ about, level, text, fix }: Finding): readonly string[] => [
  `${level.padEnd(8)} ${about}: ${text}`,
  ...(fix === undefined ? [] : [`${' '.repeat(9)}${fix}`]),
];

async function examine(): Promise<readonly Finding[]> {
  const { findings, settings } = checkSettings();
  const dataDir = settings?.DATA_DIR ?? dataDirOnly();
  const holder = dataDir === undefined ? undefined : await findHolder(dataDir);
  const running = holder === undefined ? [] : await runCheck('server', () => checkRunning(holder));
  if (settings === undefined) return [...findings, ...running];
  const others = await Promise.all(
    checksOf(settings, holder).map(([about, check]) => runCheck(about, check)),
  );
  return [...findings, ...running, ...others.flat()];
}

/** Returns DATA_DIR from settings with errors. Returns undefined if the tool itself cannot read the settings. */
function dataDirOnly(): string | undefined {
  try {
    return readCliSettings().dataDir;
  } catch {
    return undefined;
  }
}

type Check = readonly [about: string, check: () => Promise<readonly Finding[]>];

const checksOf = (settings: Settings, holder: Holder | undefined): readonly Check[] => [
  ...(holder === undefined ? [['port', () => checkPort(settings)] as const] : []),
  ['data', () => checkDataFolder(settings)],
  [settings.STORE, () => checkStore(settings)],
  ['media', () => checkFolders(settings)],
  ['models', () => checkModels(settings)],
  ['provider', () => checkProvider(settings.access)],
  ['clock', () => checkClock(settings.DATA_DIR)],
];

/** Runs a check. A failed check becomes a finding, so that the other checks still run. */
async function runCheck(about: string, check: Check[1]): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [findingsOn(about).error(`This cannot be checked: ${reasonOf(error)}.`, 'Repair this first.')];
  }
}

function checkSettings(): { readonly findings: readonly Finding[]; readonly settings?: Settings } {
  const { ok, warning, error } = findingsOn('settings');
  try {
    const settings = readSettings();
    const { nameNotes } = settings;
    if (nameNotes.length === 0) return { settings, findings: [ok('The settings are valid.')] };
    const fix = 'Correct its name, or remove it from the environment.';
    return { settings, findings: nameNotes.map((note) => warning(note, fix)) };
  } catch (problem) {
    if (!(problem instanceof ConfigurationError)) throw problem;
    const fix = 'docs/reference/settings.md lists all settings.';
    return { findings: problem.problems.map((text) => error(text, fix)) };
  }
}
