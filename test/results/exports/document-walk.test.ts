/** Documents with another layout, as other services may write them, and invalid documents. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { rewriteDocument } from '../../../results/exports/document-walk.ts';
import { NdjsonWriter } from '../../../results/exports/lines.ts';
import { someDocument } from './generated-documents.ts';
import { seed, seeded } from '../../support/seed.ts';

async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function linesOf(text: string, size = 64 * 1024): Promise<string> {
  let lines = '';
  for await (const piece of rewriteDocument(cut(text, size), new NdjsonWriter())) lines += piece;
  return lines;
}
const reason = (text: string) => linesOf(text).catch((error: Error) => error.message);

/** Reverses the members of all objects of a track and adds unknown members. */
function reverseMembers(value: unknown, isTrack = false): unknown {
  if (Array.isArray(value)) return value.map((one) => reverseMembers(one, isTrack));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([key, one]) => [key, reverseMembers(one, isTrack || key === 'tracks')] as const,
  );
  const ordered =
    isTrack && 'detections' in value ? [['unknown', { a: [{}] }] as const, ...members.toReversed()] : members;
  return Object.fromEntries(ordered);
}

const document = (track: string) =>
  `{"jobId":"a-1","media":[{"mediaId":3,"path":"file:///a","output":{"FACE":[{"source":"A","algorithm":"F","tracks":[${track}]}]}}]}`;
const found = '{"offsetFrame":2,"x":1,"y":1,"width":1,"height":1,"confidence":0.5,"detectionProperties":{}}';

describe('A detection document, gone through once', () => {
  it(`says the same however it is cut, and in whatever order a track tells of itself ${seeded}`, () =>
    fc.assert(
      fc.asyncProperty(someDocument, fc.integer({ min: 1, max: 50 }), async (one, size) => {
        const text = JSON.stringify(one);
        const lines = await linesOf(text);
        expect(await linesOf(text, size)).to.equal(lines);
        expect(await linesOf(JSON.stringify(reverseMembers(one)))).to.equal(lines);
      }),
      { seed, numRuns: 40 },
    ));

  it('has a track of an exemplar alone told by its exemplar', async () => {
    const line = await linesOf(
      document(`{"id":"t","type":"FACE","trackProperties":{},"exemplar":${found},"detections":[]}`),
    );
    expect(JSON.parse(line)).to.include({
      trackId: 't',
      frame: 2,
      confidence: 0.5,
      isExemplar: true,
      task: null,
    });
  });

  it('has values of a wrong kind become what they must be', async () => {
    const wrong = '{"offsetFrame":"<b>","x":null,"width":{"a":1},"detectionProperties":{"N":5,"B":true}}';
    const line = await linesOf(
      document(`{"id":7,"type":"FACE","trackProperties":[],"detections":[${wrong},9]}`),
    );
    expect(line.trim().split('\n')).to.have.lengthOf(1);
    expect(JSON.parse(line)).to.deep.include({
      ...{ trackId: '', frame: 0, x: 0, width: 0, confidence: -1 },
      ...{ trackProperties: {}, properties: { N: '5', B: 'true' } },
    });
  });

  it('says why it cannot, where what is needed first comes last', async () => {
    const many = Array.from({ length: 10_001 }, () => found).join(',');
    expect(await reason(document(`{"detections":[${many}],"type":"FACE"}`))).to.equal(
      'the description of a track comes behind its many detections',
    );
    expect(
      await reason('{"media":[{"output":{"A":[{"source":"B","tracks":[{"id":"t"}]}]},"path":"file:///a"}]}'),
    ).to.equal('the description of a medium (path) comes behind its output');
    expect(await reason('{"media":[{"output":{"A":[{"tracks":[{"id":"t"}],"source":"B"}]}}]}')).to.equal(
      'the description of an action (source) comes behind its tracks',
    );
  });

  it('is an error when it breaks off, or is no JSON', async () => {
    const whole = document(`{"id":"t","type":"FACE","trackProperties":{},"detections":[${found}]}`);
    expect(await reason(whole.slice(0, -5))).to.equal('The JSON text ends in the middle.');
    expect(await reason(whole.replace('"a-1"', 'a-1'))).to.include('JSON');
  });
});
