import { once } from 'node:events';
import { ConfigurationError } from '../../config/error.ts';
import { readNodeSettings } from '../../config/node.ts';
import { FolderHeld } from '../../node/node-files.ts';
import { ServerRefusal } from '../../node/server-exchange.ts';
import { startNode, type RunningNode } from '../../node/start-node.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { Interrupts } from '../terminal/interrupts.ts';
import { createLogger } from '../terminal/logger.ts';

/** Runs services of a server on this host until SIGINT or SIGTERM, or until the server refuses the node. */
export async function node(server: string | undefined): Promise<void> {
  const settings = readNodeSettings(server);
  const interrupts = new Interrupts();
  const running = startOrFail(() => startNode(settings, { logger: createLogger(settings.LOG_LEVEL) }));
  const refusal = await Promise.race([refusalOf(running), awaitInterrupt(interrupts.signal)]);
  await running.stop();
  interrupts.close();
  if (refusal !== undefined) throw new Failure(refusal.message, EXIT.refused);
}

/** Why the server does not take the node, or the node never gets a token for it. */
const refusalOf = ({ ended }: RunningNode): Promise<Error | undefined> =>
  ended.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ServerRefusal || error instanceof ConfigurationError) return error;
      throw error;
    },
  );

async function awaitInterrupt(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await once(signal, 'abort');
}

function startOrFail(start: () => RunningNode): RunningNode {
  try {
    return start();
  } catch (error) {
    if (error instanceof FolderHeld) throw new Failure(error.message);
    throw error;
  }
}
