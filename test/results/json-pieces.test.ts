import { expect } from 'chai';
import * as fc from 'fast-check';
import { jsonPieces, type Path } from '../../results/json-pieces.ts';
import { runs, seeded } from '../support/seed.ts';

/** Splits the text into chunks of `size` bytes, so that tokens and multi-byte characters are split. */
async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function piecesOf(
  text: string,
  size: number,
  whole: (path: Path) => boolean,
): Promise<[string, unknown][]> {
  const found: [string, unknown][] = [];
  for await (const { path, value } of jsonPieces(inChunks(text, size), whole))
    found.push([JSON.stringify(path), value]);
  return found;
}

/** The expected values of a JSON text, computed from the parsed value. */
function expectedOf(value: unknown, whole: (path: Path) => boolean, path: Path = []): [string, unknown][] {
  const goInto = typeof value === 'object' && value !== null && (path.length === 0 || !whole(path));
  if (!goInto) return [[JSON.stringify(path), value]];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.map((member: unknown, i) => [i, member])
    : Object.entries(value);
  return members.flatMap(([key, member]) => expectedOf(member, whole, [...path, key]));
}

const reason = (text: string) => piecesOf(text, 3, () => false).catch((error: Error) => error.message);

describe('A JSON text read piece by piece', () => {
  it(`gives what JSON.parse gives, however the text is cut ${seeded}`, async () => {
    const container = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
    const cut = fc.record({
      size: fc.integer({ min: 1, max: 40 }),
      depth: fc.integer({ min: 1, max: 4 }),
      indent: fc.nat(2),
    });
    const same = fc.asyncProperty(container, cut, async (value, { size, depth, indent }) => {
      const text = JSON.stringify(value, null, indent);
      const whole = (path: Path): boolean => path.length >= depth;
      expect(await piecesOf(text, size, whole)).to.deep.equal(expectedOf(JSON.parse(text), whole));
    });
    await fc.assert(same, runs(1_500));
  });

  it('gives a piece that spans many chunks, with brackets and quotes in its strings', async () => {
    const piece = { a: '}]"\\', b: ['{', { c: '\u00e4\u{1F600}' }] };
    const text = `{"list":[1,${JSON.stringify(piece)},"x"]}`;
    const found = await piecesOf(text, 1, (path) => path.length === 2);
    expect(found).to.deep.equal([
      ['["list",0]', 1],
      ['["list",1]', piece],
      ['["list",2]', 'x'],
    ]);
  });

  it('is an error when the text ends in the middle', async () => {
    for (const text of ['{"a":1', '{"a":"b', '{"a":[{"b":1}', '[12'])
      expect(await reason(text), text).to.equal('The JSON text ends in the middle.');
  });

  it('starts after a byte order mark, and is an error if it is no UTF-8 or brackets do not match', async () => {
    expect(await piecesOf('\uFEFF{"a":1}', 1, () => false)).to.deep.equal([['["a"]', 1]]);
    async function* invalid(): AsyncGenerator<Uint8Array> {
      yield Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    }
    const read = async () => {
      for await (const _ of jsonPieces(invalid(), () => false));
    };
    expect(await read().catch((error: Error) => error.message)).to.include('UTF-8');
    expect(await reason('{"a":[1}')).to.include('brackets');
  });
});
