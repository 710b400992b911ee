import { canonicalName } from '../../domain/values.ts';
import type { PipelineName } from '../../client/answers.ts';
import { alignedRows } from '../terminal/columns.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { nearestName, suggestion } from '../../domain/nearest-name.ts';
import { printable } from '../../domain/text/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';

const SHOWN = 100;

/** Returns the pipelines to choose from, one per line. */
export function pipelineLines(known: readonly PipelineName[]): readonly string[] {
  const rows = known
    .slice(0, SHOWN)
    .map(({ name, description }) => [printable(name), printable(description)]);
  const more = known.length - rows.length;
  return [
    'The pipelines are:',
    ...alignedRows([['', ''], ...rows]).slice(1).map((line) => `  ${line}`), // oxfmt-ignore
    ...(more > 0 ? [`  and ${more} more: troupe pipelines list`] : []),
  ];
}

export const isUnknown = (given: string, known: readonly PipelineName[]): boolean =>
  known.length > 0 && !known.some(({ name }) => name === canonicalName(given));

/** Returns the error message for an unknown pipeline, with a similar name. */
export function noPipeline(given: string, known: readonly PipelineName[]): string {
  const nearest = nearestName(
    given,
    known.map(({ name }) => name),
  );
  return `No pipeline named: ${given}${nearest === undefined ? '' : `. Did you mean ${printable(nearest)}?`}`;
}

/** Lists the pipelines if a command names none. Returns the exit code. */
export async function askForPipeline(client: RestClient, terminal: Terminal): Promise<number> {
  terminal.note('Choose a pipeline: --pipeline <NAME>.');
  for (const line of pipelineLines(await client.pipelines())) terminal.note(line);
  return EXIT.refused;
}

/**
 * Checks the names of algorithms. A service accepts properties of any algorithm, but uses only those of the pipeline's algorithms.
 * @throws Failure
 */
export async function requireAlgorithms(algorithms: readonly string[], client: RestClient): Promise<void> {
  if (algorithms.length === 0) return;
  const known = await client.algorithms();
  const unknown = algorithms.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Failure(
      `The service has no algorithm named ${unknown.join(', ')}.${suggestion(unknown[0]!, known)} The algorithms are: ${known.join(', ')}.`,
    );
}
