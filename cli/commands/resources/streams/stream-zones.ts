/** `troupe streams events` and `counts`: what happened in the zones of a stream. */
import { Option, type Command } from 'commander';
import type { HourlyCounts, ZoneEvent, ZoneEventList } from '../../../../client/answers.ts';
import { streamPath, unknownStream } from '../../../../client/watch-stream.ts';
import type { Column } from '../../../terminal/columns.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { askCommand, date, durationText, momentText, show, tableOr, whole, withQuery, type RestOptions } from '../command.ts'; // oxfmt-ignore

interface EventOptions extends RestOptions {
  readonly kind?: 'RULE' | 'OTHER';
  readonly limit?: number;
}

const EVENT_COLUMNS: readonly Column<ZoneEvent>[] = [
  { title: 'TIME', of: ({ time }) => momentText(time) },
  { title: 'EVENT', of: ({ event }) => event },
  { title: 'WHERE', of: ({ rule, zone, line }) => rule ?? zone ?? line ?? '', flexible: true },
  { title: 'CLASS', of: ({ class: name }) => name },
  { title: 'STAYED', of: ({ dwellMs }) => (dwellMs === undefined ? '' : durationText(dwellMs)), right: true },
  { title: 'TRACK', of: ({ track }) => track },
];

export function eventsCommand(streams: Command, terminal: Terminal): void {
  askCommand(streams, 'events <ID>', 'list the newest events in zones')
    .addOption(
      new Option('--kind <KIND>', 'RULE: only events of rules; OTHER: all others').choices(['RULE', 'OTHER']),
    )
    .option('--limit <NUMBER>', 'number of events; default: 100', whole(1, 500))
    .action((id: string, { kind, limit, ...options }: EventOptions) => {
      const path = withQuery(`${streamPath(id)}/zone-events`, { kind, limit });
      return show<ZoneEventList>(terminal, options, { method: 'GET', path }, {
        lines: ({ events }) => tableOr('There are no events.', EVENT_COLUMNS, events, terminal),
        refusals: { 400: unknownStream(id) },
      }); // oxfmt-ignore
    });
}

type Hour = HourlyCounts['hours'][number];
interface Count {
  readonly hour: string;
  readonly what: string;
  readonly name: string;
  readonly count: number;
}

const COUNT_COLUMNS: readonly Column<Count>[] = [
  { title: 'HOUR', of: ({ hour }) => momentText(hour).slice(0, -3) },
  { title: 'WHAT', of: ({ what }) => what },
  { title: 'NAME', of: ({ name }) => name, flexible: true },
  { title: 'COUNT', of: ({ count }) => String(count), right: true },
];

export function countsCommand(streams: Command, terminal: Terminal): void {
  askCommand(streams, 'counts <ID>', 'count what happened by hour')
    .option('--from <TIME>', 'only hours that end after it', date)
    .action((id: string, { from, ...options }: RestOptions & { readonly from?: string }) => {
      const path = withQuery(`${streamPath(id)}/counts`, { start: from });
      return show<HourlyCounts>(terminal, options, { method: 'GET', path }, {
        lines: ({ hours }) => tableOr('Nothing was counted.', COUNT_COLUMNS, hours.flatMap(countsOf), terminal),
        refusals: { 400: unknownStream(id) },
      }); // oxfmt-ignore
    });
}

/** Returns the counts of an hour. Those that are 0 are omitted. */
function countsOf({ start: hour, classes, zones, lines, rules }: Hour): readonly Count[] {
  const counts = [
    ...Object.entries(classes).map(([name, count]) => ({ hour, what: 'tracks', name, count })),
    ...Object.entries(zones).flatMap(([name, { entered, left }]) => [
      { hour, what: 'entered', name, count: entered },
      { hour, what: 'left', name, count: left },
    ]),
    ...Object.entries(lines).flatMap(([name, { toRight, toLeft }]) => [
      { hour, what: 'crossed to the right', name, count: toRight },
      { hour, what: 'crossed to the left', name, count: toLeft },
    ]),
    ...Object.entries(rules).map(([name, count]) => ({ hour, what: 'rule', name, count })),
  ];
  return counts.filter(({ count }) => count > 0);
}
