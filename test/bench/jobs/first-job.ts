/**
 * The time for a first job with a new model file: put it into a new DATA_DIR, and run `troupe analyze` with
 * its name.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sample } from '../../components/models/recorded-media.ts';
import { median, round, measureTime, type Figure } from '../measure.ts';

const ROUNDS = 3;
const run = promisify(execFile);

/** `model`: the content of an ONNX file. */
export async function firstJob(model: Buffer): Promise<Figure> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) times.push(await once(model));
  return {
    what: 'from a model file in an empty DATA_DIR to the end of the first job, one property set',
    value: `${round(median(times) / 1_000, 1)} s`,
    aim: '60 s',
  };
}

async function once(model: Buffer): Promise<number> {
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'troupe-bench-first-'));
  try {
    return await measureTime(async () => {
      mkdirSync(path.join(DATA_DIR, 'models'));
      writeFileSync(path.join(DATA_DIR, 'models', 'own.onnx'), model);
      const tool = fileURLToPath(new URL('../../../cli/main.js', import.meta.url));
      const wanted = ['--pipeline', 'ONNX DETECTION PIPELINE', '--property', 'MODEL_NAME=own'];
      // The exit code is 1 if the job has an error.
      await run(process.execPath, [tool, 'analyze', sample('astronaut.png'), ...wanted], {
        env: { ...process.env, DATA_DIR, PORT: '0' },
      });
    });
  } finally {
    rmSync(DATA_DIR, { recursive: true, force: true });
  }
}
