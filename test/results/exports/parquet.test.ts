/** Exports Parquet files and reads them with hyparquet. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { CSV_COLUMNS } from '../../../results/exports/lines.ts';
import { seed, seeded } from '../../support/seed.ts';
import { trackLine } from '../document/document-parts.ts';
import { temporaryFolder } from '../folder.ts';
import { allFound, lineOf } from './expected-exports.ts';
import { exportBytes, someDocument } from './generated-documents.ts';

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 20) };
const encodable = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text));
const JSONS = new Set(['track_properties', 'properties']);

describe('An export as Parquet', () => {
  const inFolder = temporaryFolder();
  const fileOf = async (document: unknown) => {
    const bytes = await exportBytes(document, { format: 'parquet', file: inFolder('document.json') });
    return new Uint8Array(bytes).buffer;
  };

  /** JSON has no negative zero. */
  const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

  it(`tells all that the document tells of each detection ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, async (document) => {
        const file = await fileOf(document);
        const rows = (await parquetReadObjects({ file })).map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [
              name,
              JSONS.has(name) ? (JSON.parse(value as string) as unknown) : plain(value),
            ]),
          ),
        );
        const word = (line: ReturnType<ReturnType<typeof lineOf>>, name: string) =>
          line.properties[name] ?? line.trackProperties[name] ?? null;
        const expected = allFound(document)
          .map(lineOf(document))
          .map((line) => ({
            ...Object.fromEntries(
              Object.entries(line).map(([name, value]) => [
                snake(name),
                typeof value === 'string' ? encodable(value) : value,
              ]),
            ),
            ...Object.fromEntries(
              ['CLASSIFICATION', 'TEXT', 'TRANSCRIPT'].map((name) => {
                const value = word(line, name);
                return [name.toLowerCase(), value === null ? null : encodable(value)];
              }),
            ),
          }));
        expect(JSON.parse(JSON.stringify(rows))).to.deep.equal(JSON.parse(JSON.stringify(expected)));
      }),
      runs,
    ));

  it('has the columns of the CSV with types, in row groups of bounded size', async () => {
    const tracks = Array.from(
      { length: 2_500 },
      (_, index) => JSON.parse(trackLine('FACE', index, 10)) as object,
    );
    const output = { FACE: [{ source: 'A', algorithm: 'F', tracks }] };
    const file = await fileOf({ jobId: 'a-1', media: [{ mediaId: 3, path: 'file:///a', output }] });
    const { schema, row_groups: groups, num_rows: count } = parquetMetadata(file);
    expect(schema.slice(1).map(({ name }) => name)).to.deep.equal([...CSV_COLUMNS]);
    const types = new Map(schema.map(({ name, type, converted_type: of }) => [name, of ?? type]));
    expect(['frame', 'confidence', 'is_exemplar', 'type'].map((name) => types.get(name))).to.deep.equal([
      'INT64',
      'DOUBLE',
      'BOOLEAN',
      'UTF8',
    ]);
    expect(Number(count)).to.equal(25_000);
    expect(groups).to.have.length.greaterThan(1);
    for (const { num_rows: rows } of groups) expect(Number(rows)).to.be.at.most(21_000);
  });

  it('is a file without rows for media in which nothing was found', async () => {
    const file = await fileOf({ jobId: 'a-1', media: [{ mediaId: 3, path: 'file:///a', output: {} }] });
    expect(await parquetReadObjects({ file })).to.deep.equal([]);
  });
});
