/** `troupe evaluate`: finds the document, measures its accuracy and prints the results. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { DocumentSource } from '../../evaluate/document.ts';
import { EvaluationError } from '../../evaluate/error.ts';
import { evaluate, type EvaluateOptions } from '../../evaluate/evaluate.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { evaluationLines } from '../render/evaluation.ts';
import { Failure } from '../terminal/failure.ts';
import { nearName } from '../terminal/names.ts';
import { printable } from '../../domain/text/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { clientOf, type RestOptions } from './resources/command.ts';
import { documentOf } from './resources/jobs/job-output.ts';

export type EvaluateCommandOptions = EvaluateOptions & RestOptions;

/** Prints the accuracy of a document. @throws Failure */
export async function printEvaluation(
  truth: string,
  document: string,
  options: EvaluateCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const source = await sourceOf(document, options, terminal);
  const truthFile = { file: truth, name: nearName(truth) };
  const evaluation = await evaluate(truthFile, source, options).catch((error: unknown) => {
    throw error instanceof EvaluationError ? new Failure(error.message) : error;
  });
  if (options.json === true) terminal.print(JSON.stringify(evaluation, undefined, 2));
  else for (const line of evaluationLines(evaluation, terminal.width)) terminal.print(printable(line));
}

/** Returns a file of this name, else the job with this id. @throws Failure */
async function sourceOf(document: string, options: RestOptions, terminal: Terminal): Promise<DocumentSource> {
  const place = await stat(document).catch(() => undefined);
  if (place?.isFile() === true)
    return {
      name: nearName(document),
      open: () => Promise.resolve(createReadStream(document) as AsyncIterable<Buffer>),
    };
  if (place !== undefined || /[/\\]|\.json$/i.test(document))
    throw new Failure(`${document} is not a file. Give a detection document or the id of a job.`);
  let client: Promise<RestClient> | undefined;
  return {
    name: `Job ${document}`,
    // The service is found after the truth was read.
    open: async () => documentOf(document, await (client ??= clientOf(options, terminal)), {}),
  };
}
