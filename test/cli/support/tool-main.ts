/**
 * Runs commands of the tool one after the other in one process, each with its own arguments, environment,
 * folder and output.
 */
import type { ToolRun } from './warm-tool.ts';

const MAIN = new URL('../../../cli/main.js', import.meta.url).href;

let runs = 0;

// Each command adds one listener to both.
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
  // The query makes it a new module, so it runs again. Its imports stay loaded.
  await import(`${MAIN}?run=${++runs}`).finally(() => [stdout, stderr].forEach(({ end }) => end()));
  return { code: process.exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** Captures the output of a stream. */
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
