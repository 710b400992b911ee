/** Prints the plan of a job without creating it: `analyze --dry-run` and `jobs create --dry-run`. */
import type { Plan, PlannedAction } from '../../client/answers.ts';
import { fieldOf } from '../../client/answer-text.ts';
import { factLines } from '../terminal/columns.ts';
import { END_MS } from '../terminal/moments.ts';
import type { RestClient } from '../../client/rest-client.ts';
import { timeText } from '../render/tables.ts';
import { printable, printableLines } from '../../domain/text/printable.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Requests the plan of a job and prints it. @throws RefusedError */
export async function printPlan(
  client: RestClient,
  body: string,
  { json }: { readonly json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const answer = await client.ask({ method: 'POST', path: '/rest/jobs?dryRun=true', body });
  const plan = client.good(answer) as Plan;
  const result = fieldOf(plan, 'coreResponse');
  if (fieldOf(result, 'responseCode') === 2)
    terminal.note(`Warning: ${printableLines(String(fieldOf(result, 'message')))}`);
  if (json === true) terminal.print(answer.text);
  else for (const line of planLines(plan)) terminal.print(printable(line));
}

const SHOWN_MEDIA = 20;
/** Maximum number of ranges shown for one medium. */
const SHOWN_RANGES = 10;

function planLines({ priority, pipeline, media }: Plan): readonly string[] {
  const uris = media.slice(0, SHOWN_MEDIA).map(mediumText);
  const more = media.length - uris.length;
  return [
    'Nothing was stored. The job would do this:',
    '',
    ...factLines({
      Pipeline: pipeline.name,
      Priority: priority,
      Media: more > 0 ? [...uris, `and ${more} more`] : uris,
    }),
    ...pipeline.tasks.flatMap(({ name, actions }, n) => [
      '',
      `Task ${n + 1}: ${name}`,
      ...actions.flatMap((action) => ['', ...factLines(actionFacts(action)).map((line) => `  ${line}`)]),
    ]),
  ];
}

const actionFacts = ({ name, algorithm, properties, queue, reason }: PlannedAction) => ({
  Action: name,
  Algorithm: algorithm,
  Properties: Object.entries(properties).map(([property, value]) => `${property}=${value}`),
  Queue: reason === null ? queue : `${queue} (no component processes it now: ${reason})`,
});

function mediumText({ mediaUri, mediaType, problem, ...parts }: Plan['media'][number]): string {
  const type = mediaType === null ? '' : ` (${mediaType})`;
  return `${mediaUri}${type}${rangesText(mediaType, parts)}${problem === null ? '' : `: ${problem}`}`;
}

/** Describes the processed ranges of a medium. Older services do not report the ranges. */
function rangesText(
  type: Plan['media'][number]['mediaType'],
  { frameRanges = [], timeRanges = [] }: Partial<Pick<Plan['media'][number], 'frameRanges' | 'timeRanges'>>,
): string {
  const unit = type === null ? 'frames or pages' : type === 'UNKNOWN' ? 'pages' : 'frames';
  const texts = [
    ...frameRanges.map(({ start, stop }) => `${unit} ${start} to ${stop >= END_MS ? 'the end' : stop}`),
    ...timeRanges.map(({ start, stop }) => `${timeText(start)} to ${endText(stop)}`),
  ];
  const more = texts.length > SHOWN_RANGES ? [`${texts.length - SHOWN_RANGES} more ranges`] : [];
  return [...texts.slice(0, SHOWN_RANGES), ...more].map((text) => `, ${text}`).join('');
}

const endText = (ms: number) => (ms >= END_MS ? 'the end' : timeText(ms));
