/** FINDINGS: writes an index of the results of a running job for a medium. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { PART } from '../../../files/part-file.ts';
import type { DocumentOutput, FindingsWork } from '../../../protocol/document-work.ts';
import type { FinishSummary, FinishWork } from '../../../protocol/track-work.ts';
import { writeDocument } from '../../../results/document/document.ts';
import { buildIndex } from '../../../results/timeline/build.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { finish } from './finish/finish.ts';

/** Yields a line when the index is stored. Completed parts are finished as for the document. */
export async function* findings(work: FindingsWork, given: WorkContext): AsyncGenerator<string> {
  const { head, medium, unfinished, to } = work;
  const context = countSteps(given);
  const outputs = [...medium.outputs];
  const files: string[] = [];
  try {
    for (const { output, work: finishing } of unfinished) {
      const file = `${to}.${output}${PART}`;
      files.push(file);
      outputs[output] = await finishOutput(outputs[output]!, finishing, file, context);
    }
    await buildIndex(bytesOf(writeDocument(head, only({ ...medium, outputs })), context), to);
    yield '{}\n';
  } finally {
    await Promise.all(files.map((file) => rm(file, { force: true })));
  }
}

async function finishOutput(
  output: DocumentOutput,
  work: FinishWork,
  file: string,
  context: WorkContext,
): Promise<DocumentOutput> {
  let last = '';
  async function* lines() {
    for await (const chunk of finish(work, context)) yield (last = chunk);
  }
  await pipeline(lines, createWriteStream(file), { signal: context.signal });
  const line = last.slice(last.lastIndexOf('\n', last.length - 2) + 1);
  const { types } = (JSON.parse(line) as { readonly summary: FinishSummary }).summary;
  return { ...output, tracks: file, types };
}

/** Reports the progress of all steps as one number. */
function countSteps(context: WorkContext): WorkContext {
  let done = 0;
  return { ...context, progress: () => context.progress((done += 1), 0) };
}

async function* only<T>(one: T): AsyncGenerator<T> {
  yield one;
}

async function* bytesOf(document: AsyncIterable<string>, context: WorkContext): AsyncGenerator<Uint8Array> {
  for await (const text of document) {
    context.signal.throwIfAborted();
    context.progress(0, 0);
    yield Buffer.from(text);
  }
}
