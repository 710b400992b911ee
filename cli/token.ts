import { readCliSettings } from '../config/cli.ts';
import { Failure } from './failure.ts';
import { findHolder } from './holder.ts';
import { developmentTokens } from './service.ts';
import type { Terminal } from './terminal.ts';

/** Prints a bearer token for the service that runs in DATA_DIR with its own provider, and nothing else. */
export async function token(terminal: Terminal): Promise<void> {
  const { dataDir } = readCliSettings();
  const holder = await findHolder(dataDir);
  if (holder === undefined)
    throw new Failure(
      `No service runs in ${dataDir}: start one (troupe serve), or set DATA_DIR to the folder of one that runs.`,
    );
  terminal.print(await developmentTokens(holder.address, dataDir).current());
}
