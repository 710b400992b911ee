/** Common steps of all commands over the REST interface: find the service, send a request, print the answer. */
import { InvalidArgumentError, type Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { readCliSettings } from '../../../config/cli.ts';
import { Table, type Column } from '../../terminal/columns.ts';
import { codeOf, explain, Failure } from '../../terminal/failure.ts';
import { fieldOf, jsonOf } from '../../../client/answer-text.ts';
import type { RestClient } from '../../../client/rest-client.ts';
import { findService } from '../../service/service.ts';
import { printable, printableLines } from '../../../domain/text/printable.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { RefusedError } from '../../../client/errors.ts';
import type { Call } from '../../../client/transport.ts';

export interface RestOptions {
  readonly url?: string;
  /** Print the answer of the service as it is. */
  readonly json?: boolean;
}

/** Adds a command to a group, with the option that selects the service. */
export function command(
  group: Command,
  usage: string,
  description: string,
  options: { readonly isDefault?: boolean } = {},
): Command {
  return group
    .command(usage, options)
    .description(description)
    .option(
      '--url <URL>',
      'service to use; default: TROUPE_URL, else the one that runs in DATA_DIR',
      address,
    );
}

/** Adds a command whose answer is JSON. */
export function askCommand(
  group: Command,
  usage: string,
  description: string,
  options: { readonly isDefault?: boolean } = {},
): Command {
  return command(group, usage, description, options).option(
    '--json',
    'print the answer of the service as it is',
  );
}

/** Returns a client of the running service. Only `analyze` starts a service. @throws Failure */
export async function clientOf({ url }: RestOptions, terminal: Terminal): Promise<RestClient> {
  const settings = readCliSettings();
  const service = await findService(settings, terminal, url ?? settings.url);
  if (service !== undefined) return service.client;
  throw new Failure(
    `No service runs in ${settings.dataDir}: start one (troupe serve), set DATA_DIR to the folder of one that runs, ` +
      'or name one by --url or TROUPE_URL.',
  );
}

/** Adds a command that shows the resource at a path. `path` may use the command's argument. */
export function readCommand<T>(
  group: Command,
  terminal: Terminal,
  usage: string,
  description: string,
  path: string | ((argument: string) => string),
  view: Show<T> | ((argument: string) => Show<T>),
): Command {
  const reads = (options: RestOptions, argument = '') =>
    show(
      terminal,
      options,
      { method: 'GET', path: typeof path === 'string' ? path : path(argument) },
      typeof view === 'function' ? view(argument) : view,
    );
  const made = askCommand(group, usage, description);
  return made.registeredArguments.length === 0
    ? made.action((options: RestOptions) => reads(options))
    : made.action((argument: string, options: RestOptions) => reads(options, argument));
}

/** Returns a table, or a sentence if the table has no rows. */
export function tableOr<T>(
  none: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  { width }: Terminal,
): readonly string[] {
  return rows.length === 0 ? [none] : new Table(columns, width).lines(rows);
}

export interface Show<T> {
  /** Lines printed for a successful answer. If an answer has no body, `found` is undefined. */
  readonly lines: (found: T) => readonly string[];
  /** Messages by status. A message of the service has priority, except for 404 and 405. */
  readonly refusals?: Readonly<Record<number, string>>;
}

/** Sends a request and prints the answer. @throws RefusedError, Failure */
export async function show<T>(
  terminal: Terminal,
  options: RestOptions,
  call: Call,
  view: Show<T>,
): Promise<void> {
  await fetchAndShow(terminal, options, call, view);
}

/** Sends a request, prints the answer, and returns its body. */
export async function fetchAndShow<T>(
  terminal: Terminal,
  options: RestOptions,
  call: Call,
  view: Show<T>,
): Promise<T> {
  const client = await clientOf(options, terminal);
  const answer = await client.ask(call);
  const words = view.refusals?.[answer.status];
  const isSaid = fieldOf(jsonOf(answer), 'message') !== undefined;
  // For 404 and 405, the service names the REST path that lists the resources. The message of the tool names the command.
  if (words !== undefined && (!isSaid || answer.status === 404 || answer.status === 405))
    throw new RefusedError(answer.status, words);
  const isEmpty = answer.status < 300 && answer.text === '';
  const found = isEmpty ? (undefined as T) : (client.good(answer) as T);
  if (options.json === true) {
    if (!isEmpty) terminal.print(answer.text);
  }
  heed(found, terminal);
  if (options.json !== true)
    for (const line of readAs(client.url, () => view.lines(found))) terminal.print(printable(line));
  return found;
}

/**
 * Prints warnings of a CoreResponse (specification 2.1), alone or in another answer. 1: nothing was done; 2: warning.
 * @throws Failure for 1
 */
function heed(found: unknown, terminal: Terminal): void {
  const result = fieldOf(found, 'coreResponse') ?? found;
  const code = fieldOf(result, 'responseCode');
  const message = fieldOf(result, 'message');
  const text = printableLines(typeof message === 'string' ? message : 'The service does not say more.');
  if (code === 1) throw new Failure(text);
  if (code === 2) terminal.note(`Warning: ${text}`);
}

/** Returns the problems of a stored resource: the `warnings` of an answer with details. */
export function warningLines(found: unknown): readonly string[] {
  const warnings = fieldOf(found, 'warnings');
  return Array.isArray(warnings) ? warnings.map((text: unknown) => `Warning: ${String(text)}`) : [];
}

/** Returns the result of `work` on an answer. The answer of another version of the service may have an unknown structure. */
export function readAs<T>(url: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new Failure(
      `The service at ${url} returned an unexpected answer. Check its version; --json shows the answer.`,
    );
  }
}

/** Returns the text of a file, or of standard input for `-`. @throws Failure */
export async function textOf(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') throw new Failure(`There is no file ${file}.`);
    if (codeOf(error) === 'EISDIR') throw new Failure(`${file} is a folder: name a file in it.`);
    throw new Failure(`${file} cannot be read: ${explain(error)}`);
  });
}

/** Returns the path with the defined parameters as its query. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(given)).toString()}`;
}

export const segment = encodeURIComponent;

/** Parses a whole number as an argument. */
export const whole =
  (least: number, most: number) =>
  (given: string): number => {
    if (/^\d{1,15}$/.test(given) && Number(given) >= least && Number(given) <= most) return Number(given);
    throw new InvalidArgumentError(
      most === Infinity
        ? `It is a whole number, ${least} or more.`
        : `It is a number from ${least} to ${most}.`,
    );
  };

/** Parses a stall timeout in milliseconds. -1: no timeout. */
export const stallTimeout = (given: string): number => (given === '-1' ? -1 : whole(0, 2 ** 31 - 1)(given));

/** Collects the values of a repeatable option. */
export const collectValues = (given: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  given,
];

const AGES = { d: 86_400_000, h: 3_600_000, m: 60_000 } as const;

/** Parses a date or time, or an age (2d, 12h, 30m), to the form of the service. Without a zone, local time is used. */
export function date(given: string): string {
  const text = given.trim();
  const [, count, unit] = /^(\d{1,5})([dhm])$/.exec(text) ?? [];
  if (count !== undefined)
    return new Date(Date.now() - Number(count) * AGES[unit as keyof typeof AGES]).toISOString();
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text;
  const ms = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(day) ? Date.parse(day) : NaN;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError(
      'Write a day (2026-03-01), a moment (2026-03-01T09:30) or an age (2d, 12h, 30m).',
    );
  return new Date(ms).toISOString();
}

export function address(given: string): string {
  if (!/^https?:/i.test(given) || !URL.canParse(given))
    throw new InvalidArgumentError('It is an http(s) URL.');
  return given;
}

/** Returns a time in local form, to the second. */
export function momentText(iso: string | null | undefined): string {
  const ms = iso === null || iso === undefined ? NaN : Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const at = new Date(ms);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Returns a duration, from two times or from milliseconds. */
export function durationText(from: string | number, to?: string | null): string {
  const ms = typeof from === 'number' ? from : Date.parse(to ?? '') - Date.parse(from);
  return Number.isNaN(ms) ? '' : `${(ms / 1_000).toFixed(1)} s`;
}
