import type { PipelineName } from './answers.ts';
import { alignedRows } from './columns.ts';
import { printable } from './terminal.ts';

const SHOWN = 100;

/** The pipelines to choose from, a line each. */
export function pipelineLines(known: readonly PipelineName[]): readonly string[] {
  const rows = known
    .slice(0, SHOWN)
    .map(({ name, description }) => [printable(name), printable(description)]);
  const more = known.length - rows.length;
  return [
    'The pipelines are:',
    ...alignedRows([['', ''], ...rows]).slice(1).map((line) => `  ${line}`), // prettier-ignore
    ...(more > 0 ? [`  and ${more} more: troupe pipelines list`] : []),
  ];
}
