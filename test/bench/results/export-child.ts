/**
 * Runs each measurement in its own process, so that the peak of memory belongs to one export with its thread.
 * Arguments: variant (a format; `bytes`: a plain copy; `idle`: nothing), source, target. Prints milliseconds,
 * the peak of resident memory, and the number of written bytes.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { EXPORT_FORMAT_NAMES } from '../../../domain/job/export-formats.ts';
import { DocumentExporter } from '../../../results/exports/exporter.ts';
import { measureTime } from '../measure.ts';
import { peakBytes } from '../memory.ts';

const [what = '', source = '', target = ''] = process.argv.slice(2);

async function exportDocument(): Promise<void> {
  const format = EXPORT_FORMAT_NAMES.find((name) => name === what);
  if (format === undefined) throw new Error(`There is no format ${what}.`);
  const exporter = new DocumentExporter({ most: 1, paceMs: 60_000 });
  const outcome = await exporter.open({ documents: [{ file: source, job: 1 }], format, moved: [] });
  if (outcome.kind !== 'opened') throw new Error(JSON.stringify(outcome));
  await writeFrom(outcome.stream);
}

const out = createWriteStream(target);
const writeFrom = (from: NodeJS.ReadableStream) => pipeline(from, out);
const ways: Readonly<Record<string, () => Promise<void>>> = {
  idle: () => Promise.resolve(),
  bytes: () => writeFrom(createReadStream(source)),
};

const ms = await measureTime(ways[what] ?? exportDocument);
process.stdout.write(`${JSON.stringify({ ms, peak: peakBytes('self'), bytes: out.bytesWritten })}\n`);
