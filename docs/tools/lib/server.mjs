/** The `troupe` tool of this checkout, and a server of it that runs in a folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const START_MS = 120_000;

/** A new folder, with `troupe` in its `bin`. */
export function workplace() {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'troupe-docs-')));
  const bin = path.join(root, 'bin');
  mkdirSync(bin);
  const tool = path.resolve('cli/troupe.mjs');
  const text = `#!/bin/sh\nexec "${process.execPath}" "${tool}" "$@"\n`;
  writeFileSync(path.join(bin, 'troupe'), text, { mode: 0o755 });
  return { root, bin };
}

/** `media`: the folder that jobs may read. */
export async function startServer({ root, bin }, media) {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const dataDir = path.join(root, 'data', 'shared');
  const env = {
    ...environment(bin),
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    JOB_ID_HOST: 'host',
    MEDIA_ROOTS: media,
    FACE_EMBEDDING: 'true',
  };
  mkdirSync(media, { recursive: true });
  const child = spawn(path.join(bin, 'troupe'), ['serve'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const started = performance.now();
  while (
    !(await fetch(`http://${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || performance.now() - started > START_MS) {
      end(child.pid);
      throw new Error('The server did not start.');
    }
    await pause(200);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([once(child, 'exit'), pause(20_000)]);
    end(child.pid);
  };
  return { address, dataDir, stop };
}

export const environment = (bin) => ({
  PATH: `${bin}:${process.env.PATH}`,
  HOME: process.env.HOME,
  LANG: 'C.UTF-8',
  PYTHONPATH: path.resolve('sdk/python'),
  LOG_LEVEL: 'error',
});

/** Ends a command with all processes that it started. */
export function end(group) {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
