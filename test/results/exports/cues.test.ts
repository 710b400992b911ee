/** Exports WebVTT and SubRip files and parses them again. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { DetectionDocument, DocumentMedium } from '../../support/processes/service.ts';
import { temporaryFolder } from '../folder.ts';
import { readSrt, readVtt, type Cue } from './cue-reader.ts';
import { exportDocument, someDocument } from './generated-documents.ts';
import { seed, seeded } from '../../support/seed.ts';

const runs = { seed, numRuns: Number(process.env['RUNS'] ?? 20) };

/** Duration of a frame of the generated videos. */
const FRAME_MS = 40;

const encodable = (text: string) =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text));
const showCues = (text: string) =>
  encodable(text)
    .split(/[\r\n\v\f\u0085\u2028\u2029]/)
    .map((line) => Array.from(line, withoutControl).join('').trim())
    .filter((line) => line !== '')
    .join('\n');

const withoutControl = (one: string) => {
  const code = one.codePointAt(0)!;
  return one === '\t' ? ' ' : code < 0x20 || (code >= 0x7f && code < 0xa0) ? '\ufffd' : one;
};

/** The expected cues of a medium, sorted by time. */
function expectedOf({ output }: DocumentMedium): readonly Omit<Cue, 'number'>[] {
  let scenes = 0;
  const tracks = Object.values(output).flatMap((entries) => entries.flatMap(({ tracks: all = [] }) => all));
  const cues = tracks.flatMap(({ type, startOffsetTime, stopOffsetTime, trackProperties, exemplar }) => {
    const own = trackProperties['TEXT'] ?? exemplar.detectionProperties['TEXT'] ?? '';
    const text =
      type === 'SCENE' ? `Scene ${(scenes += 1)}` : showCues(own) || (type === 'SPEECH' ? '[Speech]' : '');
    const end = stopOffsetTime + (type === 'SPEECH' ? 0 : FRAME_MS);
    return text === ''
      ? []
      : [{ startMs: startOffsetTime, stopMs: Math.max(startOffsetTime + 1, end), text }];
  });
  return cues.toSorted((a, b) => a.startMs - b.startMs || a.stopMs - b.stopMs);
}

describe('An export as subtitles', () => {
  const inFolder = temporaryFolder();
  const file = () => inFolder('document.json');

  for (const [format, read] of [
    ['vtt', readVtt],
    ['srt', readSrt],
  ] as const)
    it(`has as ${format} what is said, written and shown, by time, and leaves no file behind ${seeded}`, () =>
      fc.assert(
        fc.asyncProperty(someDocument, async (document: DetectionDocument) => {
          for (const medium of document.media.filter(({ mediaType }) => mediaType === 'VIDEO')) {
            const wanted = { format, file: file(), mediaId: medium.mediaId };
            if (expectedOf(medium).length === 0) {
              const refusal = await exportDocument(document, wanted).catch((error: Error) => error.message);
              expect(refusal).to.match(/^Medium \d+ has no speech, text or scenes to write as cues\. /);
              continue;
            }
            const cues = read(encodable(await exportDocument(document, wanted)));
            expect(cues.map(({ number }) => Number(number))).to.deep.equal(cues.map((_, at) => at + 1));
            expect(cues.map(({ number: _, ...cue }) => cue)).to.deep.equal(expectedOf(medium));
            for (const { startMs, stopMs } of cues) expect(stopMs).to.be.above(startMs);
          }
          expect(readdirSync(path.dirname(file())).filter((name) => name !== 'document.json')).to.deep.equal(
            [],
          );
        }),
        runs,
      ));

  it('has what is said in English where it was translated', async () => {
    const speakCue = (trackProperties: Record<string, string>) => {
      return { id: 'a', type: 'SPEECH', startOffsetTime: 0, stopOffsetTime: 900, trackProperties };
    };
    const tracks = [
      speakCue({ TRANSCRIPT: 'Hallo', TRANSLATED_AUDIO: 'Hello' }),
      speakCue({ TRANSCRIPT: 'Welt' }),
    ];
    const output = { SPEECH: [{ source: 'a', algorithm: 'b', tracks }] };
    const document = { media: [{ mediaId: 1, mediaType: 'AUDIO', path: 'a', output }] };
    const cues = readVtt(await exportDocument(document, { format: 'vtt', file: file() }));
    expect(cues.map(({ text }) => text)).to.deep.equal(['Hello', 'Welt']);
  });

  it('says in a sentence which medium it wants to be named, or that none has times', async () => {
    const reason = (types: readonly string[], media?: number) =>
      exportDocument(
        { media: types.map((mediaType, at) => ({ mediaId: at + 1, mediaType, path: 'a', output: {} })) },
        { format: 'vtt', file: file(), ...(media === undefined ? {} : { mediaId: media }) },
      ).catch((error: Error) => error.message);
    expect(await reason(['VIDEO', 'IMAGE', 'AUDIO'])).to.equal(
      'A file of cues describes one sound or video. Choose one with media; this job has: 1, 3.',
    );
    const none =
      'Medium 2 has no speech, text or scenes to write as cues. The formats csv and ndjson have all of its tracks.';
    expect(await reason(['IMAGE', 'AUDIO'])).to.equal(none);
    expect(await reason(['VIDEO', 'AUDIO'], 2)).to.equal(none);
    expect(await reason(['IMAGE', 'UNKNOWN'])).to.equal(
      'The job has neither sounds nor videos, so cues have no times.',
    );
    expect(await reason(['VIDEO', 'IMAGE'], 2)).to.equal(
      'Medium 2 is neither a sound nor a video, so cues have no times.',
    );
  });
});
