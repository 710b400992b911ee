import { once } from 'node:events';
import type { Settings } from '../../config/settings.ts';
import type { RunningServer } from '../../main.ts';
import { codeOf, Failure } from '../terminal/failure.ts';
import { findHolder } from './holder.ts';
import { Interrupts } from '../terminal/interrupts.ts';
import { loginLink } from './login.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Maximum time for which remains of a refused or interrupted start keep the process alive: milliseconds. */
const EXIT_MS = 500;

/** Runs the server until SIGINT or SIGTERM. The exit code shows if the start succeeded. */
export async function serve(terminal: Terminal): Promise<void> {
  const { readSettings } = await import('../../config/settings.ts');
  const settings = readSettings();
  const interrupts = new Interrupts();
  const { signal } = interrupts;
  try {
    const server = await start(settings, signal);
    await showLogin(terminal, settings);
    if (!signal.aborted) await once(signal, 'abort');
    await server.stop();
  } catch (error) {
    setTimeout(() => process.exit(), EXIT_MS).unref();
    if (error !== signal.reason) throw error;
    terminal.note('The start was interrupted.');
  } finally {
    interrupts.close();
  }
}

/** Prints the login link on a terminal only. In a log, other readers could use the link. */
async function showLogin(terminal: Terminal, { access, DATA_DIR }: Settings): Promise<void> {
  if (!terminal.live || access.mode !== 'development') return;
  const holder = await findHolder(DATA_DIR);
  if (holder !== undefined)
    terminal.note(
      `\nOpen in a browser: ${await loginLink(holder, DATA_DIR)}\n(once, within 10 minutes; troupe login prints another link)\n`,
    );
}

async function start(settings: Settings, signal: AbortSignal): Promise<RunningServer> {
  try {
    // loaded when needed, because most commands start no server
    const [{ startServer }, { createLogger }] = await Promise.all([
      import('../../main.ts'),
      import('../terminal/logger.ts'),
    ]);
    const logger = createLogger(settings.LOG_LEVEL);
    return await startServer(settings, { logger, signal });
  } catch (error) {
    const reason = reasonNotToStart(error, settings);
    if (reason === undefined) throw error;
    throw new Failure(reason);
  }
}

/** True if another server uses the data folder. */
export const isHeld = (error: unknown) =>
  error instanceof Error && codeOf(error.cause)?.startsWith('SQLITE_BUSY') === true;

/** Returns the error with this name: `error` itself, or one of its causes. */
function errorNamed(name: string, error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.name === name ? error : errorNamed(name, error.cause);
}

const NO_FOLDER = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC'];

/** Returns what to change if the store or the system prevented the start. */
export function reasonNotToStart(error: unknown, { HOST, PORT, DATA_DIR }: Settings): string | undefined {
  const code = codeOf(error);
  if (error instanceof Error && errorNamed('OtherFormat', error) !== undefined) return error.message;
  // An actor could not read the store during the start, and failed with this cause.
  const away = errorNamed('StoreAway', error);
  if (away !== undefined)
    return `${away.message.replace(/\.$/, '')}. Start Redis or correct REDIS_URL, then start the server again.`;
  if (isHeld(error))
    return `Another service holds the data folder ${DATA_DIR}: stop it, or set DATA_DIR to another folder.`;
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  if (code === 'EISDIR')
    return `${(error as NodeJS.ErrnoException).path ?? DATA_DIR} is a folder, but the server writes a file of this name. Remove the folder, or set DATA_DIR to another one.`;
  if (syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo') {
    if (code === 'EADDRINUSE')
      return `Port ${PORT} of ${HOST} is in use: stop what listens there, or set PORT to another one.`;
    if (code === 'EACCES') return `Port ${PORT} may not be used by this user: set PORT to one above 1023.`;
    return `${HOST} is not an address of this machine. Set HOST to one.`;
  }
  // On a read-only disk, mkdir of a new folder may fail with ENOENT.
  if (
    NO_FOLDER.includes(code ?? '') ||
    (code === 'ENOENT' && syscall === 'mkdir') ||
    /^SQLITE_(CANTOPEN|READONLY)/.test(code ?? '')
  )
    return `The data folder ${DATA_DIR} cannot be written (${code}): set DATA_DIR to a folder of this user.`;
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code ?? ''))
    return `The database of the data folder ${DATA_DIR} is damaged (${code}): put a backup in the place of its troupe.db, or set DATA_DIR to another folder.`;
  return undefined;
}
