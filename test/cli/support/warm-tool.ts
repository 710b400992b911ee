/** A process that has already loaded the tool, because loading takes most of the time of a short command. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './support.ts';

export interface ToolRun {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

let tool: ChildProcess | undefined;
let turn: Promise<unknown> = Promise.resolve();

/** Runs a command to its end, after all earlier ones. */
export function runWarm(run: ToolRun): Promise<Outcome> {
  const outcome = turn.then(() => ask(run));
  turn = outcome.catch(() => undefined);
  return outcome;
}

async function ask(run: ToolRun): Promise<Outcome> {
  const child = (tool ??= startTool());
  const answered = once(child, 'message');
  const ended = once(child, 'exit').then(() => {
    tool = undefined;
    throw new Error(`The process of the tool ended with "troupe ${run.args.join(' ')}".`);
  });
  child.send(run);
  const [outcome] = (await Promise.race([answered, ended])) as [Outcome];
  return outcome;
}

/** The process ends with this one and does not keep it alive. */
function startTool(): ChildProcess {
  const child = fork(fileURLToPath(new URL('./tool-main.js', import.meta.url)));
  child.setMaxListeners(0);
  child.unref();
  child.channel?.unref();
  return child;
}
