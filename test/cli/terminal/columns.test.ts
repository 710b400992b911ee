import { expect } from 'chai';
import { factLines, Table, type Column } from '../../../cli/terminal/columns.ts';

interface Row {
  readonly id: string;
  readonly words: string;
  readonly count: number;
}
const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'COUNT', of: ({ count }) => String(count), right: true },
  { title: 'WORDS', of: ({ words }) => words, flexible: true },
];
const row = (id: string, words: string, count = 7): Row => ({ id, words, count });

describe('A table of the tool', () => {
  it('has its columns aligned, numbers to the right', () => {
    expect(new Table(COLUMNS, Infinity).lines([row('a', 'x', 12), row('host-100', 'y')])).to.deep.equal([
      'ID         COUNT   WORDS',
      'a             12   x',
      'host-100       7   y',
    ]);
  });

  it('shortens words to the width of the terminal, and never ids', () => {
    const id = 'a-very-long-host-name.example.org-1234567';
    const lines = new Table(COLUMNS, 70).lines([row(id, 'word '.repeat(100))]);
    expect(lines.map(({ length }) => length).every((length) => length <= 70)).to.equal(true);
    expect(lines[1]).to.match(/^a-very-long-host-name\.example\.org-1234567 {3} {4}7 {3}word .*…$/);
    const narrow = new Table(COLUMNS, 20).lines([row(id, 'word '.repeat(100))]);
    expect(narrow[1]).to.include(id).and.to.match(/…$/);
  });

  it('keeps its columns over pages, and has its titles once', () => {
    const table = new Table(COLUMNS, Infinity);
    table.lines([row('host-100', 'x')]);
    expect(table.lines([row('host-99', 'y')])).to.deep.equal(['host-99        7   y']);
  });

  it('shows nothing that would steer the terminal', () => {
    const text = new Table(COLUMNS, Infinity).lines([row('a\u001b[31m', 'x\ny\u202e')]).join('\n');
    expect(text.replaceAll('\n', '')).to.not.match(/[\p{Cc}\u202e]/u);
    expect(text.split('\n')).to.have.length(2);
  });
});

describe('Facts', () => {
  it('stand under each other, without those that are not known', () => {
    expect(factLines({ Job: 'a-1', Ended: '', Document: null, Media: ['x', 'y'] })).to.deep.equal([
      'Job     a-1',
      'Media   x',
      '        y',
    ]);
  });
});
