/** The service of `analyze`: a running service, else one that is started for this command. */
import type { CliSettings } from '../../config/cli.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import type { MediumArgument } from '../arguments/media-arguments.ts';
import { pause } from '../../client/pause.ts';
import { findService, HeldError, startService, type Service } from './service.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface Opening {
  readonly media: readonly MediumArgument[];
  readonly settings: CliSettings;
  readonly url: string | undefined;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Maximum time to wait for a service that another command is starting, or for the drain of one that is stopping. */
const MAX_WAIT_MS = 60_000;
const LOOK_MS = 200;

/** Opens a service. Commands that start at the same time in one DATA_DIR share the service of the first. @throws Failure */
export async function openService({ media, settings, url, terminal, signal }: Opening): Promise<Service> {
  const started = performance.now();
  for (let told = false; ;) {
    const running = await findService(settings, terminal, url);
    if (running !== undefined) {
      terminal.note(`Using the service at ${running.client.url}`);
      return running;
    }
    if (signal.aborted) throw new Failure('Stopped before the job was created.', EXIT.failed);
    // loaded when needed, because most commands find a running service
    const { readEmbeddedSettings } = await import('../../config/embedded-settings.ts');
    const own = readEmbeddedSettings([...new Set(media.flatMap(({ folder }) => folder ?? []))]);
    if (!told) terminal.note(`Starting a service for this command (DATA_DIR ${own.DATA_DIR})`);
    try {
      return await startService(own);
    } catch (error) {
      if (!(error instanceof HeldError) || performance.now() - started > MAX_WAIT_MS) throw error;
      if (!told) terminal.note('Another command starts or stops a service there. Waiting for it.');
    }
    told = true;
    await pause(LOOK_MS, signal);
  }
}
