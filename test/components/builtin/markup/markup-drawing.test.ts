import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { trackColour } from '../../../../components/builtin/markup/colours.ts';
import { ICONS, labelText } from '../../../../components/builtin/markup/label-text.ts';
import { labelDrawer } from '../../../../components/builtin/markup/labels.ts';
import { Marks, type Mark } from '../../../../components/builtin/markup/marks.ts';
import { frameTick } from '../../../../components/builtin/markup/markup-video.ts';
import { disc, lay, outline, type Surface } from '../../../../components/builtin/markup/paint.ts';
import { onTheWay } from '../../../../components/builtin/markup/read-marks.ts';
import { markupSettings } from '../../../../components/builtin/markup/settings.ts';
import type { Properties } from '../../../../domain/types.ts';
import { finishedTrack, findBoxes } from './markup-parts.ts';

const plain = { isExemplar: false, isAnimated: false };

function labels(properties: Properties = {}) {
  const { labels: settings } = markupSettings(properties, true);
  if (settings === null) throw new Error('there are no labels');
  return settings;
}

describe('The label of a marked-up box', () => {
  const detection = findBoxes(3, [0, 0, 9, 9], { CLASSIFICATION: 'a wheel of something', SPEED: '12' }, 0.25);
  const track = finishedTrack([detection], {
    index: 7,
    confidence: 0.123_45,
    trackProperties: { CLASSIFICATION: 'car', MOVING: 'TRUE' },
  });
  const text = (properties: Properties = {}, origin = plain): string | null =>
    labelText(track, detection, origin, labels(properties));

  it('tells the index, the text and the number of the track', () => {
    expect(text()).to.equal('[7] car 0.123');
  });

  it('tells those of the detection when it is asked to, the text cut to ten characters', () => {
    expect(text({ MARKUP_LABELS_FROM_DETECTIONS: 'true' })).to.equal('[7] a wheel of 0.250');
    expect(text({ MARKUP_LABELS_FROM_DETECTIONS: 'true', MARKUP_TEXT_LABEL_MAX_LENGTH: '4' })).to.equal(
      '[7] a wh 0.250',
    );
  });

  it('takes from the exemplar what the track does not have', () => {
    expect(text({ MARKUP_LABELS_NUMERIC_PROP_TO_SHOW: 'SPEED' })).to.equal('[7] car 12.000');
    expect(text({ MARKUP_LABELS_NUMERIC_PROP_TO_SHOW: 'CLASSIFICATION' })).to.equal('[7] car');
  });

  it('leaves out what is not wanted or not known', () => {
    expect(text({ MARKUP_LABELS_TRACK_INDEX_ENABLED: 'false' })).to.equal('car 0.123');
    const nothing = {
      MARKUP_LABELS_TRACK_INDEX_ENABLED: 'false',
      MARKUP_LABELS_TEXT_PROP_TO_SHOW: '',
      MARKUP_LABELS_NUMERIC_PROP_TO_SHOW: '',
      MARKUP_VIDEO_EXEMPLAR_ICONS_ENABLED: 'false',
    };
    expect(text(nothing)).to.equal(null);
    expect(labelText({ ...track, confidence: -1 }, detection, plain, labels())).to.equal('[7] car');
    expect(markupSettings({ MARKUP_LABELS_ENABLED: 'FALSE' }, true).labels).to.equal(null);
  });

  it('has a star for the exemplar, and icons for where the box comes from and whether it moves', () => {
    expect(text({}, { isExemplar: true, isAnimated: false })).to.equal(`${ICONS.exemplar} [7] car 0.123`);
    const icons = {
      MARKUP_VIDEO_BOX_SOURCE_ICONS_ENABLED: 'true',
      MARKUP_VIDEO_MOVING_OBJECT_ICONS_ENABLED: 'true',
    };
    expect(text(icons)).to.equal(`${ICONS.detected}${ICONS.moving} [7] car 0.123`);
    expect(text(icons, { isExemplar: false, isAnimated: true })).to.equal(
      `${ICONS.animated}${ICONS.moving} [7] car 0.123`,
    );
    const filled = findBoxes(3, [0, 0, 9, 9], { FILLED_GAP: 'TRUE', MOVING: 'FALSE' });
    expect(
      labelText(track, filled, plain, labels({ ...icons, MARKUP_LABELS_FROM_DETECTIONS: 'true' })),
    ).to.equal(`${ICONS.filledIn}${ICONS.standing} [7] 0.500`);
    // Images have no icons.
    const { labels: image } = markupSettings(icons, false);
    if (image === null) throw new Error('there are no labels');
    expect(labelText(track, detection, { isExemplar: true, isAnimated: false }, image)).to.equal(
      '[7] car 0.123',
    );
  });

  it('is drawn with a font that has every icon', () => {
    const draw = labelDrawer();
    const style = { fontSize: 40, alpha: 1, paper: [255, 255, 255], ink: [0, 0, 0] } as const;
    const missing = draw('\u{F8F0}', style);
    const seen = new Set<string>([Buffer.from(missing.data).toString('base64')]);
    for (const icon of Object.values(ICONS)) seen.add(Buffer.from(draw(icon, style).data).toString('base64'));
    expect(seen.size).to.equal(Object.keys(ICONS).length + 1);
  });

  it('lets shine through as much as is asked for', () => {
    for (const [alpha, opacity] of [
      [0, 0],
      [0.5, 128],
      [1, 255],
    ] as const) {
      const { data } = labelDrawer()(`a${alpha}`, { fontSize: 20, alpha, paper: [9, 9, 9], ink: [0, 0, 0] });
      expect(data[3]).to.be.closeTo(opacity, 1);
    }
  });
});

describe('The colours of tracks', () => {
  it('are bright, equally strong and far from those of the tracks before', () => {
    const hue = (n: number): number => {
      const [r, g, b] = trackColour(n);
      const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
      expect(most).to.equal(242);
      expect(least).to.be.closeTo(121, 1);
      const part = r === most ? (g - b) / 121 : g === most ? 2 + (b - r) / 121 : 4 + (r - g) / 121;
      return ((part + 6) % 6) / 6;
    };
    for (let n = 1; n < 50; n++)
      for (let before = Math.max(0, n - 4); before < n; before++) {
        const apart = Math.abs(hue(n) - hue(before));
        expect(Math.min(apart, 1 - apart), `${n} and ${before}`).to.be.greaterThan(0.1);
      }
  });
});

describe('The marks of a medium', () => {
  const mark = (change: Partial<Mark>): Mark => ({
    ...{ x: 1, y: 2, width: 3, height: 4, rotation: 0, flip: false, track: 0, label: null },
    ...change,
  });

  it('come back by frame, in the order of the tracks', () => {
    const marks = new Marks();
    for (let track = 0; track < 300; track++)
      for (let frame = 0; frame < 10; frame++)
        marks.add(
          frame * 3,
          mark({ track, x: track + frame, flip: track % 2 === 1, label: `t${track % 7}` }),
        );
    const next = marks.byFrame();
    for (let frame = 0; frame < 30; frame++) {
      const expected = Array.from({ length: frame % 3 === 0 ? 300 : 0 }, (_, track) =>
        mark({ track, x: track + frame / 3, flip: track % 2 === 1, label: `t${track % 7}` }),
      );
      expect(next(frame), `frame ${frame}`).to.deep.equal(expected);
    }
  });

  it('move evenly from one detection to the next and turn the shorter way round', () => {
    const from = { x: 0, y: 10, width: 20, height: 30, rotation: 350, flip: false };
    const to = { x: 100, y: 20, width: 40, height: 30, rotation: 30, flip: false };
    const middle = onTheWay(from, to, 0.5);
    expect(middle).to.deep.equal({ x: 50, y: 15, width: 30, height: 30, rotation: 370, flip: false });
    expect(onTheWay(to, from, 0.25).rotation).to.equal(20);
    expect(onTheWay(from, { ...to, flip: true }, 0.5)).to.include({ rotation: 350, flip: false });
  });
});

describe('Painting', () => {
  const surface = (width = 60, height = 40): Surface => ({
    ...{ width, height },
    data: new Uint8Array(width * height * 3),
  });
  const lightAt = ({ width, data }: Surface, x: number, y: number): number => data[(y * width + x) * 3] ?? 0;

  it('draws upright boxes sharply, and only their lines', () => {
    const picture = surface();
    const box = [
      { x: 10, y: 8 },
      { x: 40, y: 8 },
      { x: 40, y: 28 },
      { x: 10, y: 28 },
    ];
    outline(picture, box, 2, [255, 0, 0]);
    for (const [x, y] of [
      [9, 7],
      [10, 8],
      [25, 7],
      [40, 28],
      [39, 18],
      [9, 18],
    ] as const)
      expect(lightAt(picture, x, y), `${x}, ${y}`).to.equal(255);
    for (const [x, y] of [
      [11, 9],
      [25, 18],
      [41, 29],
      [8, 8],
    ] as const)
      expect(lightAt(picture, x, y), `${x}, ${y}`).to.equal(0);
  });

  it('draws slanting lines of an even thickness, also beyond the picture', () => {
    const picture = surface(200, 200);
    outline(
      picture,
      [
        { x: -50, y: 20 },
        { x: 150, y: 120 },
      ],
      6,
      [255, 255, 255],
    );
    let covered = 0;
    for (let y = 0; y < 200; y++) for (let x = 0; x < 150; x++) covered += lightAt(picture, x, y) / 255;
    // The same line drawn twice has slightly denser edges.
    expect(covered / Math.hypot(150, 75)).to.be.within(6, 7);
    expect(lightAt(picture, 50, 70)).to.equal(255);
    expect(lightAt(picture, 50, 64)).to.equal(0);
  });

  it('draws discs and lays pictures over others, cut at the edges', () => {
    const picture = surface();
    disc(picture, { x: 0, y: 0 }, 5, [200, 0, 0]);
    expect([lightAt(picture, 0, 0), lightAt(picture, 2, 2), lightAt(picture, 5, 5)]).to.deep.equal([
      200, 200, 0,
    ]);
    const data = Uint8ClampedArray.from({ length: 4 * 4 * 4 }, (_, i) => (i % 4 === 3 ? 128 : 255));
    for (const [x, y] of [
      [-2, -2],
      [58, 38],
      [70, 3],
      [3, -9],
    ] as const)
      lay(picture, { width: 4, height: 4, data }, x, y);
    expect([lightAt(picture, 0, 0), lightAt(picture, 1, 1), lightAt(picture, 58, 38)]).to.deep.equal([
      228, 228, 128,
    ]);
  });
});

describe('The markup settings', () => {
  it('have the defaults that the descriptor tells', async () => {
    const text = await readFile(join(process.cwd(), 'components/builtin/markup/descriptor.json'), 'utf8');
    const { algorithm } = JSON.parse(text) as {
      algorithm: { providesCollection: { properties: { name: string; defaultValue: string }[] } };
    };
    const { properties } = algorithm.providesCollection;
    const told = Object.fromEntries(properties.map(({ name, defaultValue }) => [name, defaultValue]));
    for (const isVideo of [true, false])
      expect(markupSettings(told, isVideo)).to.deep.equal(markupSettings({}, isVideo));
    // Each property changes the picture.
    const other: Properties = {
      MARKUP_STYLE: 'BLUR',
      MARKUP_VIDEO_ENCODER: 'h264',
      MARKUP_LABELS_ALPHA: '0.25',
    };
    for (const { name, defaultValue } of properties) {
      const changed =
        other[name] ?? (defaultValue === 'true' ? 'false' : defaultValue === 'false' ? 'true' : '7');
      expect(markupSettings({ [name]: changed }, true), name).not.to.deep.equal(markupSettings({}, true));
    }
  });

  it('are refused with a sentence when they make no sense', () => {
    for (const properties of [
      { MARKUP_STYLE: 'SMEAR' },
      { MARKUP_VIDEO_ENCODER: 'divx' },
      { MARKUP_LABELS_ALPHA: '1.5' },
      { MARKUP_LABELS_ALPHA: 'much' },
      { MARKUP_VIDEO_VP9_CRF: '64' },
      { MARKUP_TEXT_LABEL_MAX_LENGTH: '-1' },
    ])
      expect(() => markupSettings(properties, true))
        .to.throw(/^The MARKUP_\w+ property has the value ".*", which is /)
        .with.property('code', 'INVALID_PROPERTY');
  });

  it('know the rates of television as fractions', () => {
    expect(frameTick(25)).to.deep.equal({ num: 1, den: 25 });
    expect(frameTick(30_000 / 1001)).to.deep.equal({ num: 1001, den: 30_000 });
    expect(frameTick(23.976)).to.deep.equal({ num: 1001, den: 24_000 });
    expect(frameTick(12.5)).to.deep.equal({ num: 1000, den: 12_500 });
  });
});
