/** The built-in pipelines on media with known content, run by the whole service. */
import { expect } from 'chai';
import {
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
  type DocumentTrack,
} from '../../support/processes/service.ts';

describe('The built-in pipelines', () => {
  let service: Service;
  before(async () => {
    service = await Service.here();
  });
  after(() => service.close());

  const detect = (algorithm: string, ...uris: string[]): Promise<DetectionDocument> =>
    service.run({ media: uris, pipelineName: `${algorithm} DETECTION PIPELINE` });
  const spans = (tracks: readonly DocumentTrack[]) =>
    tracks.map(({ startOffsetFrame, stopOffsetFrame }) => [startOffsetFrame, stopOffsetFrame]);

  describe('FACE DETECTION PIPELINE', () => {
    let document: DetectionDocument;
    before(async () => {
      const names = [
        'face_move.mp4',
        'chelsea.png',
        'coffee.png',
        'astronaut.png',
        'grace_hopper_512x512.jpg',
      ];
      document = await detect('FACE', ...names.map(sampleUri));
    });

    it('finds the moving face in every second frame or better, where it is, with no false track', () => {
      const [video] = document.media;
      // From frame 10 to 89 a picture moves by 4 pixels per frame. The centre of its face is 115 pixels from
      // its left edge.
      const middle = (frame: number) => 20 + 4 * (frame - 10) + 115;
      const tracks = tracksOf(video, 'FACE');
      const found = tracks.flatMap(({ detections }) => detections);
      for (const { offsetFrame, x, width } of found) {
        expect(offsetFrame).to.be.within(10, 89);
        expect(
          Math.abs(x + width / 2 - middle(offsetFrame)),
          `pixels from the face in frame ${offsetFrame}`,
        ).to.be.lessThan(25);
      }
      const frames = [...new Set(found.map(({ offsetFrame }) => offsetFrame))].toSorted((a, b) => a - b);
      expect(frames.length, 'frames of 80 in which the face is found').to.be.at.least(40);
      const gaps = [9, ...frames].map((frame, i) => ([...frames, 90][i] ?? 90) - frame);
      expect(Math.max(...gaps), 'frames from one find to the next').to.be.at.most(2);
      for (const { startOffsetFrame, stopOffsetFrame, startOffsetTime, stopOffsetTime } of tracks)
        expect([startOffsetTime, stopOffsetTime], 'ms at 25 frames a second').to.deep.equal([
          startOffsetFrame * 40,
          stopOffsetFrame * 40,
        ]);
    });

    it('finds no face of a cat and of a cup', () => {
      for (const medium of document.media.slice(1, 3))
        expect(medium.output).to.deep.equal({
          'NO TRACKS': [{ source: 'FACE DETECTION ACTION', algorithm: 'FACE' }],
        });
    });

    it('finds the one face of a portrait', () => {
      for (const [medium, expected] of [
        [document.media[3], [172, 74, 106, 106]],
        [document.media[4], [176, 110, 180, 190]],
      ] as const) {
        const tracks = tracksOf(medium, 'FACE');
        expect(tracks).to.have.length(1);
        const { x, y, width, height } = tracks[0]!.exemplar;
        expect(
          overlap([x, y, width, height], expected),
          `${[x, y, width, height].join()} and ${expected.join()}`,
        ).to.be.greaterThan(0.5);
      }
    });
  });

  describe('SCENE CHANGE DETECTION PIPELINE', () => {
    it('finds three cuts at the very frames', async () => {
      const document = await detect('SCENE CHANGE', sampleUri('scenes_pd.mp4'));
      expect(spans(tracksOf(document.media[0], 'SCENE'))).to.deep.equal([
        [0, 49],
        [50, 119],
        [120, 199],
        [200, 249],
      ]);
    });
  });

  describe('MOTION DETECTION PIPELINE', () => {
    it('follows the picture that moves while it is there, and takes cuts for no motion', async () => {
      const document = await detect('MOTION', sampleUri('face_move.mp4'), sampleUri('scenes_pd.mp4'));
      const [moving, scenes] = document.media;
      const tracks = tracksOf(moving, 'MOTION');
      expect(tracks).to.have.length(1);
      const [{ startOffsetFrame, stopOffsetFrame, detections } = tracks[0]!] = tracks;
      expect(startOffsetFrame).to.be.within(10, 12);
      expect(stopOffsetFrame).to.be.within(87, 89);
      for (const { offsetFrame, x, y, width, height } of detections)
        expect(
          overlap([x, y, width, height], [20 + 4 * (offsetFrame - 10), 60, 220, 240]),
          `frame ${offsetFrame}`,
        ).to.be.greaterThan(0.5);
      expect(tracksOf(scenes, 'MOTION')).to.deep.equal([]);
    });
  });

  describe('TEXT DETECTION PIPELINE', () => {
    it('reads both lines of a picture exactly, into the property TEXT of track and detection', async () => {
      const document = await detect('TEXT', sampleUri('gen_text.png'));
      const tracks = tracksOf(document.media[0], 'TEXT');
      const texts = tracks.map(({ trackProperties }) => trackProperties['TEXT']);
      expect(texts).to.have.members(['HELLO OPENMPF 2026', 'The quick brown fox jumps.']);
      expect(tracks.map(({ exemplar }) => exemplar.detectionProperties['TEXT'])).to.deep.equal(texts);
    });
  });

  describe('SPEECH DETECTION PIPELINE', () => {
    it('finds speech where somebody speaks, one track a stretch, and none in noise or silence', async () => {
      const document = await detect('SPEECH', sampleUri('vad_groundtruth.wav'), sampleUri('silence.mp3'));
      const [speech, silence] = document.media;
      const stretches = [
        [2_000, 9_100, 6_300],
        [12_100, 14_900, 1_500],
      ] as const;
      const tracks = tracksOf(speech, 'SPEECH');
      const covered = stretches.map(() => 0);
      for (const { startOffsetTime, stopOffsetTime } of tracks) {
        const index = stretches.findIndex(
          ([start, stop]) => startOffsetTime >= start - 500 && stopOffsetTime <= stop + 500,
        );
        expect(
          index,
          `${startOffsetTime} to ${stopOffsetTime} ms lies within a stretch of speech`,
        ).to.be.at.least(0);
        const [start, stop] = stretches[index]!;
        covered[index] = covered[index]! + Math.min(stop, stopOffsetTime) - Math.max(start, startOffsetTime);
      }
      for (const [index, [, , least]] of stretches.entries())
        expect(covered[index], `ms of stretch ${index}`).to.be.at.least(least);
      expect(tracksOf(silence, 'SPEECH')).to.deep.equal([]);
    });

    it('hears a video by its sound, in frames and milliseconds', async () => {
      const document = await detect('SPEECH', sampleUri('face_move.mp4'));
      const tracks = tracksOf(document.media[0], 'SPEECH');
      expect(tracks.length).to.be.at.least(1);
      for (const { startOffsetFrame, startOffsetTime, stopOffsetFrame, stopOffsetTime } of tracks) {
        expect(startOffsetFrame).to.equal(Math.floor(startOffsetTime / 40));
        expect(stopOffsetFrame).to.be.within(startOffsetFrame, 99);
        expect(Math.abs(stopOffsetTime / 40 - stopOffsetFrame), 'frames').to.be.at.most(1);
      }
    });
  });

  it('answer a medium of an unknown type with UNSUPPORTED_DATA_TYPE, and the job ends ERROR', async () => {
    const [motion, speech] = await Promise.all([
      detect('MOTION', sampleUri('goforward.wav'), sampleUri('astronaut.png')),
      detect('SPEECH', sampleUri('astronaut.png')),
    ]);
    for (const document of [motion, speech]) {
      expect(document.status).to.equal('ERROR');
      for (const { details } of document.errors)
        expect(details.map(({ code }) => code)).to.deep.equal(['UNSUPPORTED_DATA_TYPE']);
    }
    expect([motion.errors.length, speech.errors.length]).to.deep.equal([2, 1]);
  });
});

type Box = readonly [x: number, y: number, width: number, height: number];

/** Intersection over union. */
function overlap([ax, ay, aw, ah]: Box, [bx, by, bw, bh]: Box): number {
  const width = Math.min(ax + aw, bx + bw) - Math.max(ax, bx);
  const height = Math.min(ay + ah, by + bh) - Math.max(ay, by);
  const both = Math.max(0, width) * Math.max(0, height);
  return both / (aw * ah + bw * bh - both);
}
