/** Runs `bare-loop.ts`, the baseline without a service, in its own process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Images one after the other, or frames `start` to `stop` of a video with `length` frames. */
export type BareWork =
  | { readonly images: readonly string[] }
  | { readonly video: string; readonly start: number; readonly stop: number; readonly length: number };

export interface BareLoop {
  /** Duration in milliseconds. */
  (work: BareWork): Promise<number>;
  stop(): void;
}

/** `component`: the folder of the detector. */
export function startBare(component = 'faces'): BareLoop {
  const script = fileURLToPath(new URL('./bare-loop.js', import.meta.url));
  const child = spawn(process.execPath, [script, component], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const run = async (work: BareWork): Promise<number> => {
    const answer = once(lines, 'line');
    child.stdin.write(`${JSON.stringify(work)}\n`);
    return Number((await answer)[0]);
  };
  return Object.assign(run, { stop: () => void child.kill() });
}
