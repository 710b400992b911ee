import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { STOP_COMPONENTS_MS } from '../../actors/service/policy.ts';
import { readCliSettings } from '../../config/cli.ts';
import { ConfigurationError } from '../../config/error.ts';
import { readNodeSettings } from '../../config/node.ts';
import { NODE_CLASS, NODE_CLASS_ERROR } from '../../http/schemas/nodes.ts';
import { FolderHeld, NodeFiles } from '../../node/node-files.ts';
import { ServerRefusal } from '../../node/server-exchange.ts';
import { DRAIN_WITHIN_MS, startNode, type RunningNode } from '../../node/start-node.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { Interrupts } from '../terminal/interrupts.ts';
import { createLogger } from '../terminal/logger.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface NodeRunOptions {
  readonly server?: string;
  readonly class?: string;
}

/** Signal that starts the drain of a node. */
const DRAIN_SIGNAL = 'SIGUSR2';
/** Maximum time that a node needs to stop after its drain. */
const END_MS = STOP_COMPONENTS_MS + 10_000;
const LOOK_MS = 200;

/** Runs services of a server on this host until SIGINT, SIGTERM or the end of a drain, or until the server refuses the node. */
export async function node({ server, class: nodeClass }: NodeRunOptions): Promise<void> {
  if (nodeClass !== undefined && !NODE_CLASS.test(nodeClass))
    throw new Failure(`--class ${nodeClass}: a node class ${NODE_CLASS_ERROR}.`);
  const settings = readNodeSettings(server);
  const interrupts = new Interrupts();
  const logger = createLogger(settings.LOG_LEVEL);
  const running = startOrFail(() => startNode(settings, { logger, nodeClass }));
  const late = new AbortController();
  process.on(DRAIN_SIGNAL, () => {
    const withinMs = running.drain();
    logger.info({ withinMs }, 'the node drains');
    setTimeout(() => late.abort(), withinMs).unref();
  });
  const refusal = await Promise.race([
    refusalOf(running),
    awaitAbort(interrupts.signal),
    awaitAbort(late.signal),
    running.drained.then(() => undefined),
  ]);
  await running.stop();
  interrupts.close();
  if (refusal !== undefined) throw new Failure(refusal.message, EXIT.refused);
}

/** Drains the node that runs in DATA_DIR, and waits for its end. */
export async function drainNode(withinSeconds: number | undefined, terminal: Terminal): Promise<void> {
  const { dataDir } = readCliSettings();
  const files = existsSync(path.join(dataDir, 'node'))
    ? new NodeFiles(dataDir, createLogger('warn'))
    : undefined;
  const begun = files?.running;
  if (files === undefined || begun === undefined)
    throw new Failure(`No node runs in ${dataDir}: set DATA_DIR to the folder of the node.`);
  const withinMs = withinSeconds === undefined ? DRAIN_WITHIN_MS : withinSeconds * 1_000;
  files.orderDrain(withinMs);
  process.kill(begun.pid, DRAIN_SIGNAL);
  const until = performance.now() + withinMs + END_MS;
  while (files.running?.pid === begun.pid) {
    if (performance.now() > until)
      throw new Failure(`The node (process ${begun.pid}) has not ended: stop it with kill ${begun.pid}.`);
    await pause(LOOK_MS);
  }
  terminal.print('The node has ended. Work that it had not finished is queued again.');
}

/** Returns why the server refuses the node, or why the node gets no token. */
const refusalOf = ({ ended }: RunningNode): Promise<Error | undefined> =>
  ended.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ServerRefusal || error instanceof ConfigurationError) return error;
      throw error;
    },
  );

async function awaitAbort(signal: AbortSignal): Promise<undefined> {
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
