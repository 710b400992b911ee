import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { selectorsOutput } from '../../../../../components/builtin/media/finish/selectors-output.ts';
import type { MediaSelector, Properties } from '../../../../../domain/types.ts';
import { finishWork } from '../media-parts.ts';

describe('The output document of media selectors', () => {
  let folder: string;
  const path = (name: string) => join(folder, name);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'troupe-selectors-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const DOCUMENT = '{"a": "one",   "b": ["one", "two"], "n": 1.10, "big": 123456789012345678901 }';

  /**
   * A track with its `selector text` and properties. Without own properties, those of its first detection
   * count.
   */
  interface Said {
    readonly selector?: number;
    readonly text: string;
    readonly properties?: Properties;
    readonly ofDetection?: Properties;
  }

  const selector = (expression: string, resultDetectionProperty = 'OUT'): MediaSelector => ({
    type: 'JSON_PATH',
    expression,
    selectionProperties: {},
    resultDetectionProperty,
  });

  async function fillSelectors(
    selectors: readonly MediaSelector[],
    said: readonly Said[],
    properties: Properties = {},
    document = DOCUMENT,
  ): Promise<string> {
    await writeFile(path('document.json'), document);
    const work = await finishWork(path, { parts: [], mediaType: 'UNKNOWN', properties });
    const output = selectorsOutput({
      ...work,
      medium: { ...work.medium, path: path('document.json') },
      selectorsOutput: { selectors, file: path('out/filled.json') },
    });
    const nowhere = { frame: 0, time: 0, x: 0, y: 0, width: 0, height: 0, confidence: -1 };
    for (const { selector: n = 0, text, properties: own = {}, ofDetection = {} } of said)
      output?.add({
        selected: { selector: n, text },
        properties: own,
        detections: [{ ...nowhere, properties: ofDetection }],
      });
    return readFile(fileURLToPath((await output?.write()) ?? ''), 'utf8');
  }

  const out = (text: string, OUT: string, more: Partial<Said> = {}): Said => ({
    text,
    properties: { OUT },
    ...more,
  });

  it('has the outputs in place of the selected texts, and is as the document in all else', async () => {
    expect(await fillSelectors([selector('$.b')], [out('one', '1'), out('two', '2')])).to.equal(
      '{"a": "one",   "b": ["1", "2"], "n": 1.10, "big": 123456789012345678901 }',
    );
    expect(await readdir(path('out')), 'no part file is left').to.deep.equal(['filled.json']);
  });

  it('keeps texts that no track says anything of', async () => {
    expect(await fillSelectors([selector('$.b')], [out('two', '2'), { text: 'one' }])).to.equal(
      DOCUMENT.replace('two', '2'),
    );
    expect(await fillSelectors([selector('$.b')], [])).to.equal(DOCUMENT);
  });

  it('takes the property from the track, else from its detection', async () => {
    const said = [{ text: 'two', ofDetection: { OUT: 'of the detection' } }];
    expect(await fillSelectors([selector('$.b')], said)).to.contain('"of the detection"');
    expect(await fillSelectors([selector('$.b')], [{ ...said[0]!, properties: { OUT: 'own' } }])).to.contain(
      '"own"',
    );
  });

  it('gives each selector its own property and its own places', async () => {
    const selectors = [selector('$.a', 'A'), selector('$.b[0]', 'B')];
    const properties = { A: 'for a', B: 'for b' };
    const said = [0, 1].map((n) => ({ selector: n, text: 'one', properties }));
    expect(await fillSelectors(selectors, said)).to.contain('"a": "for a",   "b": ["for b", "two"]');
  });

  for (const [delimiter, expected] of [
    ['-', '"two-2"'],
    [' ', '"two 2"'],
    ['\n', String.raw`"two\n2"`],
    ['', '"2"'],
  ] as const)
    it(`keeps the text with the delimiter ${JSON.stringify(delimiter)}`, async () => {
      const properties = { MEDIA_SELECTORS_DELIMETER: delimiter };
      expect(await fillSelectors([selector('$.b')], [out('two', '2')], properties)).to.contain(expected);
    });

  it('uses the longest of several outputs, or joins different ones in the order of discovery', async () => {
    const several = [out('two', 'b'), out('two', 'aaa'), out('two', 'b'), out('two', ' ')];
    expect(await fillSelectors([selector('$.b')], several)).to.contain('"aaa"');
    const join = { MEDIA_SELECTORS_DUPLICATE_POLICY: 'join' };
    expect(await fillSelectors([selector('$.b')], several, join)).to.contain('"b | aaa"');
  });

  it('is refused with OTHER when several outputs are an error, unless they are equal', async () => {
    const policy = { MEDIA_SELECTORS_DUPLICATE_POLICY: 'ERROR' };
    expect(await fillSelectors([selector('$.b')], [out('two', '2'), out('two', '2')], policy)).to.contain(
      '"2"',
    );
    const refused = await fillSelectors([selector('$.b')], [out('two', '2'), out('two', '3')], policy).catch(
      (error: unknown) => error,
    );
    expect(refused).to.include({ code: 'OTHER' });
    expect(refused)
      .to.have.property('message')
      .that.matches(/LONGEST or JOIN/);
  });

  it('is not made by an action that does not fill it', async () => {
    const work = await finishWork(path, { parts: [] });
    expect(selectorsOutput(work)).to.equal(undefined);
  });
});
