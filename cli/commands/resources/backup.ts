/** `troupe backup`: copies the database of a running or a stopped service. */
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { link, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readCliSettings } from '../../../config/cli.ts';
import { EXIT, explain, Failure } from '../../terminal/failure.ts';
import { refusal, type RestClient } from '../../../client/rest-client.ts';
import { saveDocument } from '../../terminal/save-document.ts';
import { findService } from '../../service/service.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { command, type RestOptions } from './command.ts';

export function backupCommand(program: Command, terminal: Terminal): void {
  const about = 'copy the database to a new file';
  command(program, 'backup <FILE>', about).action(async (file: string, options: RestOptions) => {
    await backup(file, options, terminal);
    terminal.print(
      `The database is in ${file}. Documents and other results are files of DATA_DIR: copy them, too.`,
    );
  });
}

/** Writes a backup. The copy gets its name when it is complete. An existing file is never replaced. */
async function backup(file: string, { url }: RestOptions, terminal: Terminal): Promise<void> {
  if (existsSync(file)) throw isThere(file);
  const part = `${file}.${process.pid}.part`;
  const settings = readCliSettings();
  const named = url ?? settings.url;
  const service = await findService(settings, terminal, named);
  try {
    // The database contains secrets of requests, so only its owner may read the copy, wherever the copy is stored.
    await writeFile(part, '', { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
      throw notWritten(file, error);
    });
    if (service === undefined) await copyStopped(path.join(settings.dataDir, 'troupe.db'), part);
    else await fetchAll(service.client, part);
    await link(part, file).catch((error: unknown) => {
      throw existsSync(file) ? isThere(file) : notWritten(file, error);
    });
  } finally {
    await rm(part, { force: true });
  }
}

async function fetchAll(client: RestClient, part: string): Promise<void> {
  const answer = await client.ask({ method: 'GET', path: '/rest/backup', streamed: true });
  if (answer.stream === undefined) throw refusal(answer);
  await saveDocument(answer.stream, part, 'backup');
}

async function copyStopped(database: string, part: string): Promise<void> {
  if (!existsSync(database))
    throw new Failure(
      `There is no ${database} and no service that runs: set DATA_DIR, or name a service by --url.`,
    );
  // loaded when needed, because most commands open no database
  const { copyDatabase } = await import('../../../store/sqlite/open-database.ts');
  await copyDatabase(database, part).catch((error: unknown) => {
    throw notWritten(part, error);
  });
}

const isThere = (file: string) =>
  new Failure(`${file} exists already. Name another file: a backup never replaces one.`);
const notWritten = (file: string, error: unknown) =>
  new Failure(`The backup cannot be written to ${file}: ${explain(error)}`, EXIT.failed);
