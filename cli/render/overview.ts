/** The results of a job, one row per medium. */
import { Table, type Column } from '../terminal/columns.ts';
import { asFamilies, namesOf } from './medium-names.ts';
import type { DocumentSummary, IssueCount, MediumSummary } from './summary.ts';

interface Row {
  readonly name: string;
  readonly mimeType: string;
  readonly types: Map<string, number>;
  best: number;
  readonly issues: IssueCount;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'MEDIUM', of: ({ name }) => name, flexible: true },
  { title: 'TYPE', of: ({ mimeType }) => (mimeType === '' ? 'unknown' : mimeType) },
  { title: 'TRACKS', of: tracksText, flexible: true },
  { title: 'BEST', of: ({ best }) => (best < 0 ? '' : best.toFixed(2)), right: true },
  { title: 'PROBLEMS', of: issuesText },
];

/** Returns no lines for a single medium, because its own table is sufficient. Media extracted from a document count. */
export function overviewLines(
  { media, issues }: DocumentSummary,
  width: number,
  known: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const names = namesOf(media, known);
  const rows: Row[] = [];
  for (const { medium, depth } of asFamilies(media)) {
    const name = names.get(medium.mediaId) ?? '';
    if (depth === 0) rows.push({ name, mimeType: medium.mimeType, ...nothingFound() });
    const row = rows.at(-1);
    if (row !== undefined) addTo(row, medium, issues.get(medium.mediaId));
  }
  return rows.length < 2 ? [] : ['', ...new Table(COLUMNS, width).lines(rows), totalLine(rows)];
}

const nothingFound = () => ({
  types: new Map<string, number>(),
  best: -1,
  issues: { errors: 0, warnings: 0, code: '' },
});

function addTo(row: Row, { types, bestConfidence }: MediumSummary, issues: IssueCount | undefined): void {
  for (const [type, count] of types) row.types.set(type, (row.types.get(type) ?? 0) + count);
  row.best = Math.max(row.best, bestConfidence);
  if (issues === undefined) return;
  if (row.issues.code === '' || (row.issues.errors === 0 && issues.errors > 0)) row.issues.code = issues.code;
  row.issues.errors += issues.errors;
  row.issues.warnings += issues.warnings;
}

function tracksText({ types, issues }: Row): string {
  if (types.size === 0) return issues.errors > 0 ? '' : 'nothing found';
  const most = [...types].toSorted(([, a], [, b]) => b - a);
  return most.map(([type, count]) => `${count} ${type}`).join(', ');
}

function issuesText({ issues: { errors, warnings, code } }: Row): string {
  const counted = [counts(errors, 'error'), counts(warnings, 'warning')].filter((text) => text !== '');
  return counted.length === 0 ? '' : `${counted.join(', ')} (${code})`;
}

const counts = (count: number, what: string) =>
  count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`;

function totalLine(rows: readonly Row[]): string {
  const tracks = rows.reduce((sum, { types }) => sum + [...types.values()].reduce((a, b) => a + b, 0), 0);
  const failed = rows.filter(({ issues }) => issues.errors > 0).length;
  return `${rows.length} media, ${counts(tracks, 'track') || 'no tracks'}${failed === 0 ? '' : `, ${failed} with errors`}`;
}
