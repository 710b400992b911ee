/** Runs commands of the tool one after the other, each as if it were a process: with its arguments, environment, folder and outputs. */
import type { ToolRun } from './warm-tool.ts';

const MAIN = new URL('../../../cli/main.js', import.meta.url).href;

let runs = 0;

// Each command listens to both once.
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);
process.on('disconnect', () => process.exit());
process.on('message', (run: ToolRun) => {
  void carriedOut(run).then((outcome) => process.send?.(outcome));
});

async function carriedOut({ args, env, cwd }: ToolRun): Promise<object> {
  process.argv.splice(1, Infinity, MAIN, ...args);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.exitCode = 0;
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  // The module of another name is another one: what it imports stays loaded.
  await import(`${MAIN}?run=${++runs}`).finally(() => [stdout, stderr].forEach(({ end }) => end()));
  return { code: process.exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** Keeps what is written to a stream, instead of writing it. */
function capture(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  const chunks: Buffer[] = [];
  const { write } = stream;
  stream.write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    chunks.push(Buffer.from(chunk as string));
    const done = more.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (done !== undefined) setImmediate(done);
    return true;
  };
  const end = () => {
    stream.write = write;
  };
  return { text: () => Buffer.concat(chunks).toString('utf8'), end };
}
