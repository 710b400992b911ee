/** Damaged ground truth files are either read or refused with a message. */
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { readTruth } from '../../evaluate/truth/read.ts';
import { TRUTH_FORMATS } from '../../evaluate/truth/truth.ts';
import { EvaluationError } from '../../evaluate/error.ts';
import { temporaryFolder } from '../results/folder.ts';
import { runs, seeded } from '../support/seed.ts';
import { anyText } from '../support/any-text.ts';

const WHOLE = [
  '{"images":[{"id":1,"file_name":"a.png","width":9,"height":9}],"categories":[{"id":2,"name":"x"}],"annotations":[{"id":3,"image_id":1,"category_id":2,"bbox":[1,2,3,4],"area":12,"iscrowd":0,"attributes":{"track_id":7}}]}',
  '<?xml version="1.0"?>\n<annotations><meta><task><size>9</size><start_frame>0</start_frame><stop_frame>8</stop_frame><frame_filter>step=2</frame_filter></task></meta><track id="0" label="x"><box frame="2" outside="0" xtl="1" ytl="2" xbr="3" ybr="4"/><box frame="6" outside="1" xtl="1" ytl="2" xbr="3" ybr="4" rotation="30"/></track></annotations>',
  '<annotations><image id="0" name="a.png" width="9" height="9"><box label="x" xtl="1" ytl="2" xbr="3" ybr="4"/><tag label="y"/></image></annotations>',
  '1,1,10.5,20,30,40,1,1,0.9\n2,1,11,20,30,40,1,1,1\n2,2,-1,20,30,40,0,12,1\n',
  ';; comment\nSPEAKER talk 1 0.5 2.25 <NA> <NA> anna <NA> <NA>\nSPKR-INFO talk 1 <NA> <NA> <NA> unknown anna <NA>\n',
  'WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n<v Anna>Hello &amp; <i>goodbye</i>\n',
  '1\n00:00:01,000 --> 00:00:02,000\nHello\n',
  'Some words.',
];
/** Texts that break parsers of these formats. */
const PIECES = ['"', '{', ']', '<', '/>', '&amp;', ',', '\n', '\r\n', '\0', '-1', '1e400', '99999999999999999999', 'null', 'NaN', '\u{1f600}', '\ud800', '  ']; // oxfmt-ignore

const damaged = fc
  .tuple(
    fc.constantFrom(...WHOLE),
    fc.array(fc.tuple(fc.nat(), fc.nat(12), fc.constantFrom(...PIECES, '')), { minLength: 1, maxLength: 4 }),
  )
  .map(([whole, changes]) =>
    changes.reduce((text, [at, cut, piece]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + piece + text.slice(from + cut);
    }, whole),
  );

describe('A damaged truth', () => {
  const inFolder = temporaryFolder();

  it(`is read, or refused in a sentence that names it ${seeded}`, async () => {
    const file = inFolder('truth');
    const format = fc.option(fc.constantFrom(...TRUTH_FORMATS), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, anyText()), format, async (text, given) => {
        writeFileSync(file, text);
        try {
          await readTruth({ file, name: file }, { format: given, limit: 10_000 });
        } catch (error) {
          expect(error).to.be.instanceOf(EvaluationError);
          expect((error as EvaluationError).message).to.match(/truth|more than 10000/);
        }
      }),
      runs(2_000),
    );
  });

  it('is read whole where it is whole', async () => {
    for (const text of WHOLE) {
      writeFileSync(inFolder('truth'), text);
      await readTruth({ file: inFolder('truth'), name: 'truth' }, { format: undefined, limit: 10 });
    }
  });
});
