/** `troupe jobs zones`: runs zones and rules on the results of a job. */
import type { Command } from 'commander';
import type { MediaOfJob, ZoneRun, ZoneRunRequest } from '../../../../client/answers.ts';
import { place, rule } from '../../../arguments/zone-arguments.ts';
import { zoneCountLines } from '../../../render/zone-lines.ts';
import { Table, type Column } from '../../../terminal/columns.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { Failure } from '../../../terminal/failure.ts';
import { askCommand, clientOf, show, type RestOptions } from '../command.ts';

interface ZoneOptions extends RestOptions {
  readonly medium?: string;
  readonly zone?: ZoneRunRequest['zones'];
  readonly line?: ZoneRunRequest['lines'];
  readonly rule?: ZoneRunRequest['rules'];
  readonly startsAt?: string;
}

export function zonesCommand(jobs: Command, terminal: Terminal): void {
  askCommand(jobs, 'zones <ID>', 'try zones, lines and rules on what a job has found')
    .option('--medium <ID>', 'medium, by its mediaId, if there are several')
    .option('--zone <NAME=POINTS>', 'zone, such as "yard=0.1,0.2 0.9,0.2 0.9,0.9"; may be repeated', place)
    .option('--line <NAME=POINTS>', 'line, such as "door=0.5,0 0.5,1"; may be repeated', place)
    .option('--rule <JSON>', 'rule as JSON, or a file with rules; may be repeated', rule)
    .option('--starts-at <TIME>', 'when the medium begins')
    .action(async (id: string, options: ZoneOptions) => {
      const { zone: zones, line: lines, rule: rules, startsAt } = options;
      const media = `/rest/jobs/${encodeURIComponent(id)}/media`;
      const medium = options.medium ?? (await onlyMedium(id, media, terminal, options));
      const path = `${media}/${encodeURIComponent(medium)}/zone-runs`;
      const body = JSON.stringify({ zones, lines, rules, startsAt });
      await show<ZoneRun>(terminal, options, { method: 'POST', path, body }, { lines: (run) => runLines(run, rules, terminal.width) }); // oxfmt-ignore
    });
}

/** Returns the only medium of a job. @throws Failure for a job with several media */
async function onlyMedium(
  id: string,
  path: string,
  terminal: Terminal,
  options: RestOptions,
): Promise<string> {
  const client = await clientOf(options, terminal);
  const answer = await client.ask({ method: 'GET', path: `${path}?limit=2` });
  if (answer.status === 404) throw client.unknownJob(id);
  const { media, total } = client.good(answer) as MediaOfJob;
  if (total === 1) return String(media[0]!.mediaId);
  throw new Failure(
    `Job ${id} has ${total} media: choose one with --medium and its mediaId in the detection document.`,
  );
}

type RunEvent = ZoneRun['events'][number];
const COLUMNS: readonly Column<RunEvent>[] = [
  { title: 'SECOND', of: ({ at }) => (at / 1_000).toFixed(2), right: true },
  { title: 'EVENT', of: ({ event }) => event },
  { title: 'WHERE', of: ({ rule: name, zone, line }) => name ?? zone ?? line ?? '', flexible: true },
  { title: 'CLASS', of: ({ class: name }) => name },
  { title: 'STAYED', of: ({ dwellMs }) => (dwellMs === undefined ? '' : `${(dwellMs / 1_000).toFixed(1)} s`), right: true }, // oxfmt-ignore
  { title: 'TRACK', of: ({ track }) => track },
];

function runLines(
  { events, omitted, counts, warnings }: ZoneRun,
  rules: ZoneRunRequest['rules'],
  width: number,
): readonly string[] {
  const names = (rules ?? []).map(({ name }) => name);
  const more = omitted === 0 ? [] : [`${omitted} more events are not shown.`];
  return [...new Table(COLUMNS, width).lines(events), ...more, ...zoneCountLines(counts, names), ...warnings];
}
