/** Runs scripts of this folder as child processes during a benchmark. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Child {
  /** The first output line: for a server, its address. */
  readonly url: string;
  readonly pid: number;
  /** Closes its input, which ends it. */
  stop(): Promise<void>;
}

export async function startChild(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const { child, lines } = run(script, args, env);
  const [url] = (await once(lines, 'line')) as [string];
  const stop = async () => {
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
  };
  return { url, pid: child.pid!, stop };
}

/** Runs a script to its end and returns the JSON of its first line. */
export async function jsonOf(script: string, args: readonly string[]): Promise<unknown> {
  const { child, lines } = run(script, args, {});
  const ended = once(child, 'exit');
  const first = Promise.race([once(lines, 'line'), ended.then(() => undefined)]);
  const line = (await first) as [string] | undefined;
  const [code] = (await ended) as [number | null];
  if (code !== 0 || line === undefined) throw new Error(`${script} ${args.join(' ')} ended with ${code}.`);
  return JSON.parse(line[0]) as unknown;
}

function run(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): { readonly child: ChildProcess; readonly lines: Interface } {
  const file = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  return { child, lines: createInterface({ input: child.stdout }) };
}
