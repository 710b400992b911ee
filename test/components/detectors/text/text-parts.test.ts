import { expect } from 'chai';
import { plausibleConfidence } from '../../../../components/detectors/text/foreign-script.ts';
import { glimpse, hasChanged } from '../../../../components/detectors/text/frame-change.ts';
import { cutLine } from '../../../../components/detectors/text/lines/line-image.ts';
import { decode } from '../../../../components/detectors/text/readers/decode.ts';
import { joinedPieces } from '../../../../components/detectors/text/lines/join-pieces.ts';
import { placementOf } from '../../../../components/detectors/text/placement.ts';
import type { TextLine } from '../../../../components/detectors/text/read-picture.ts';
import { inReadingOrder } from '../../../../components/detectors/text/reading-order.ts';
import {
  boxAround,
  overlap,
  smallestRectangle,
  type Point,
} from '../../../../components/detectors/text/lines/rectangles.ts';
import { meanWithin, outlines } from '../../../../components/detectors/text/lines/regions.ts';
import { scaledPlanes, type Picture } from '../../../../components/detectors/text/lines/resample.ts';
import { similarity } from '../../../../components/detectors/text/similarity.ts';
import { TextTracks } from '../../../../components/detectors/text/text-tracks.ts';
import type { Colour } from '../../visual.ts';

const DEGREE = Math.PI / 180;
const PLAIN = { mean: [0, 0, 0], factor: [1, 1, 1] } as const;

function picture(width: number, height: number, paint: (x: number, y: number) => Colour): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.set(paint(i % width, Math.floor(i / width)), i * 3);
  return { width, height, data };
}

/** A probability map. Each digit is a value in tenths. */
function mapOf(...rows: string[]): Parameters<typeof outlines>[0] {
  const data = Float32Array.from(rows.join('').split(''), (digit) => Number(digit) / 10);
  return { data, width: rows[0]!.length, height: rows.length };
}

function line(text: string, x: number, y: number, confidence = 0.9): TextLine {
  const box = { x, y, width: text.length * 10, height: 20 };
  return { text, confidence, direction: 0, placed: { ...box, rotation: 0 }, ...box };
}

/** The reduced copy of a grey frame with a square mark at its upper edge. */
const glimpseOf = (mark: number, size = 4): ReturnType<typeof glimpse> =>
  glimpse(
    picture(480, 270, (x, y) => (x >= 100 && x < 100 + size && y < size ? [mark, mark, mark] : [90, 90, 90])),
  );

/** [text, first frame, last frame] of all tracks, from the lines of frames 0, 10, 20 ... */
function tracksOf(...frames: TextLine[][]): unknown[] {
  const tracks = new TextTracks(0.8);
  const found = frames.flatMap((lines, i) => tracks.next(i * 10, lines));
  return [...found, ...tracks.end()].map(({ properties, detections }) => [
    properties?.['TEXT'],
    detections[0]!.frame,
    detections.at(-1)!.frame,
  ]);
}

describe('A reading', () => {
  const characters = ['', 'l', 'o', ' '];
  const columns = (...classes: number[]): Parameters<typeof decode>[0] => ({
    data: Float32Array.from(classes.flatMap((best) => characters.map((_, i) => (i === best ? 0.8 : 0.05)))),
    shape: [1, classes.length, characters.length],
  });

  it('counts a character that fills several columns once, and twice when a blank parts it', () => {
    expect(decode(columns(0, 1, 1, 0, 1, 2, 2, 0), characters).text).to.equal('llo');
  });

  it('is as sure as its characters on average, and has no spaces around it', () => {
    const { text, confidence } = decode(columns(3, 1, 3, 2, 3), characters);
    expect(text).to.equal('l o');
    expect(confidence).to.be.closeTo(0.8, 1e-6);
  });

  it('of nothing is empty and not sure at all', () => {
    expect(decode(columns(0, 0, 3, 0), characters)).to.deep.equal({ text: '', confidence: 0 });
  });
});

describe('The confidence of a reading', () => {
  // How the network reads "Все люди рождаются ...", "Статья", "достоинстве и правах", "Έξοδος", "Все" and
  // others.
  for (const text of [
    'Bce JIOAИ pO*KaIOTCA CBO6oAHbIMN И paBHbIMN B CBOeM',
    'OCTOWHCTBe И npaBaX. OHW HaμeJeHbl pa3yMOM И COBeCTbO',
    'otnv αELonpemelα Kat tα SlKαlwμatα.',
    'BCEOBLAYIEKJLAPALHHHPABHEJIOBEKA',
    'CTaTb9 1',
  ])
    it(`falls when "${text}" can only be another script`, () => {
      expect(plausibleConfidence(text, 0.94)).to.be.below(0.7);
    });

  for (const text of [
    'All human beings are born free and equal in dignity',
    'MPFImageLocation(599,480,30,120)',
    'SKU: XK-9920-ZZ, LV42DY',
    'TUESDAY70CT 1,234.56 kg',
    'Straße, StraBe, Wszyscy ludzie rodzą się wolni',
    'https://example.org/a?b=1',
    'LinkedList and PDFs, THE INDEPENDENT',
    'WVWZZZ1JZXW000001',
    '2.4 GHz, 1200 kWh, WiFi',
    '1948年12月10日，联合国大会通过并颁布',
  ])
    it(`stays when it says "${text}"`, () => {
      expect(plausibleConfidence(text, 0.94)).to.equal(0.94);
    });

  it('stays whatever it says when the network is certain', () => {
    expect(plausibleConfidence('iPhone OS X', 0.98)).to.equal(0.98);
  });
});

describe('Regions of a probability map', () => {
  it('take in pixels that touch at a corner, and no others', () => {
    const found = [...outlines(mapOf('900000', '090099', '000099'), 0.3)];
    expect(found.map((points) => boxAround(smallestRectangle(points), 100, 100))).to.have.length(2);
    expect(found.map((points) => Math.max(...points.map(({ x }) => x)))).to.deep.equal([1, 5]);
  });

  it('end where the probability is not above the threshold', () => {
    expect([...outlines(mapOf('924', '000'), 0.3)].map((points) => points.length)).to.deep.equal([2, 2]);
  });

  it('are as likely text as the pixels within a rectangle on average', () => {
    const rectangle = { centre: { x: 1, y: 0.5 }, width: 2, height: 1, angle: 0 };
    expect(meanWithin(mapOf('9630', '9630'), rectangle)).to.be.closeTo(0.6, 1e-6);
  });
});

describe('The smallest rectangle', () => {
  for (const degrees of [-44, -20, 0, 7, 30, 45])
    it(`around the corners of one at ${degrees} degrees is that one`, () => {
      const [cos, sin] = [Math.cos(degrees * DEGREE), Math.sin(degrees * DEGREE)];
      const corners = [[-50, -10], [50, -10], [50, 10], [-50, 10], [3, 4]] as const; // oxfmt-ignore
      const points: Point[] = corners.map(([u, v]) => ({
        x: 70 + u * cos - v * sin,
        y: 60 + u * sin + v * cos,
      }));
      const found = smallestRectangle(points);
      expect(found.angle / DEGREE).to.be.closeTo(degrees, 1e-6);
      expect([found.width, found.height]).to.satisfy(
        ([width, height]: number[]) => Math.abs(width! - 100) < 1e-6 && Math.abs(height! - 20) < 1e-6,
      );
      expect([found.centre.x, found.centre.y].map(Math.round)).to.deep.equal([70, 60]);
    });

  it('around one point is empty', () => {
    expect(smallestRectangle([{ x: 3, y: 4 }])).to.include({ width: 0, height: 0 });
  });

  it('has an upright box that stays within the picture', () => {
    const rectangle = { centre: { x: 10, y: 10 }, width: 40, height: 10, angle: 0 };
    expect(boxAround(rectangle, 25, 100)).to.deep.equal({ x: 0, y: 5, width: 25, height: 10 });
  });

  it('has all, half or nothing in common with another box', () => {
    const box = { x: 0, y: 0, width: 20, height: 10 };
    expect([box, { ...box, width: 10 }, { ...box, x: 20 }].map((other) => overlap(box, other))).to.deep.equal(
      [1, 0.5, 0],
    );
  });
});

describe('The input of a network', () => {
  it('has planes of blue, green and red', () => {
    const planes = scaledPlanes(picture(1, 1, () => [1, 2, 3]), 1, 2, 1, PLAIN); // oxfmt-ignore
    expect([...planes]).to.deep.equal([3, 3, 2, 2, 1, 1]);
  });

  for (const scale of [0.21, 0.5, 1, 2.7])
    it(`keeps an even colour when scaled by ${scale}`, () => {
      const planes = scaledPlanes(picture(40, 30, () => [50, 100, 150]), scale, 96, 96, PLAIN); // oxfmt-ignore
      expect(new Set([...planes].map(Math.round))).to.deep.equal(new Set([150, 100, 50]));
    });

  it('averages what it scales down', () => {
    const stripes = picture(64, 8, (x) => (x % 2 === 0 ? [0, 0, 0] : [200, 200, 200]));
    const planes = scaledPlanes(stripes, 0.25, 16, 2, PLAIN);
    for (const value of planes.subarray(1, 15)) expect(value).to.be.closeTo(100, 15);
  });

  it('shows a line upright, however it is turned', () => {
    // A line that runs downwards, white above and black below. Upright, its start is on the left.
    const turned = picture(20, 80, (_, y) => (y < 40 ? [255, 255, 255] : [0, 0, 0]));
    const rectangle = { centre: { x: 10, y: 40 }, width: 20, height: 80, angle: 0 };
    const cut = cutLine(turned, rectangle, 1, { height: 8, minWidth: 40, maxWidth: 100 });
    const middle = [...cut.data.subarray(4 * cut.width, 5 * cut.width)].map(Math.round);
    expect([cut.width, cut.height]).to.deep.equal([40, 8]);
    expect(middle).to.deep.equal([...Array<number>(16).fill(1), ...Array<number>(16).fill(-1), ...Array<number>(8).fill(0)]); // oxfmt-ignore
  });
});

describe('A frame', () => {
  it('is new when a few pixels change a lot', () => {
    expect(hasChanged(glimpseOf(90), glimpseOf(150), 16)).to.equal(true);
  });

  it('is not new when much of it changes a little', () => {
    expect(hasChanged(glimpseOf(90), glimpseOf(100, 270), 16)).to.equal(false);
  });

  it('is always new when the threshold is 0', () => {
    expect(hasChanged(glimpseOf(90), glimpseOf(90), 0)).to.equal(true);
  });
});

describe('Similarity of readings', () => {
  for (const [a, b, least, most] of [
    ['Hello World', 'Hello World', 1, 1],
    ['Hello World', 'HelloWorld', 1, 1],
    ['quick brown', 'quick brovvn', 0.8, 0.9],
    ['Platform', 'Departures', 0, 0.4],
    ['12:00:01', '12:00:02', 0, 0],
    ['B-AB 123', 'B-A8 123', 0, 0],
  ] as const)
    it(`of "${a}" and "${b}" lies from ${least} to ${most}`, () => {
      expect(similarity(a, b)).to.be.within(least, most);
    });
});

describe('Reading order', () => {
  const order = (lines: readonly TextLine[]): string[] =>
    inReadingOrder(lines)
      .flat(2)
      .map(({ text }) => text);
  /** Lines of text below each other, starting at this corner. */
  const column = (name: string, x: number, y: number, count: number): TextLine[] =>
    Array.from({ length: count }, (_, i) => line(`${name}${i} and so on until its end`, x, y + i * 25));
  const names = (lines: readonly TextLine[]): string[] => order(lines).map((text) => text.split(' ')[0]!);
  /** Lines rotated clockwise around (500, 500), as in a rotated picture. */
  const turnedBy = (degrees: number, lines: readonly TextLine[]): TextLine[] =>
    lines.map((one) => {
      const [cos, sin] = [Math.cos(degrees * DEGREE), Math.sin(degrees * DEGREE)];
      const [x, y] = [one.x + one.width / 2 - 500, one.y + one.height / 2 - 500];
      const [width, height] = [
        Math.abs(one.width * cos) + Math.abs(one.height * sin),
        Math.abs(one.width * sin) + Math.abs(one.height * cos),
      ];
      const centre = { x: 500 + x * cos - y * sin, y: 500 + x * sin + y * cos };
      const direction = (one.direction + degrees) % 360;
      return { ...one, direction, x: centre.x - width / 2, y: centre.y - height / 2, width, height };
    });

  it('goes down the rows, and along each row', () => {
    const lines = [line('d', 0, 90), line('c', 200, 44), line('a', 10, 10), line('b', 10, 50)];
    expect(order(lines)).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  const page = [
    ...column('R', 300, 60, 4),
    ...column('L', 0, 62, 4),
    line('A headline over both of the two columns', 0, 0),
    line('Page 7', 250, 400),
  ];
  const read = ['A', 'L0', 'L1', 'L2', 'L3', 'R0', 'R1', 'R2', 'R3', 'Page'];
  it('takes columns of running text one after the other, below their headline', () => {
    expect(names(page)).to.deep.equal(read);
  });

  for (const degrees of [90, 180, 270, 33])
    it(`is the same when the page is turned by ${degrees} degrees`, () => {
      expect(names(turnedBy(degrees, page))).to.deep.equal(read);
    });

  it('reads a table row by row', () => {
    const cells = ['Name', 'Ann', 'Age', '42', 'Town', 'Oslo', 'Post', '0150'];
    const table = cells.map((cell, i) => line(cell, (i % 2) * 200, Math.floor(i / 2) * 30));
    expect(order(table)).to.deep.equal(cells);
  });

  it('puts what is written in another direction behind the main text', () => {
    const note = turnedBy(270, [line('on the margin', 500, 0)]);
    expect(names([...note, ...column('L', 0, 62, 3)])).to.deep.equal(['L0', 'L1', 'L2', 'on']);
  });
});

describe('A line that was found in pieces', () => {
  const piece = (x: number, width: number, height = 30, y = 50) => ({
    centre: { x, y },
    width,
    height,
    angle: 0,
  });

  it('becomes one when they reach into each other, whatever their order', () => {
    const whole = { ...piece(180, 320), angle: 0 };
    expect(joinedPieces([piece(60, 80), piece(280, 120), piece(160, 130)])).to.deep.equal([whole]);
  });

  it('stays in pieces where they do not touch, are of another size or on another level', () => {
    for (const other of [piece(180, 100), piece(160, 100, 80), piece(160, 100, 30, 65)])
      expect(joinedPieces([piece(60, 120), other])).to.have.length(2);
  });

  it('becomes one when it stands, and when a piece is a single letter', () => {
    const above = { centre: { x: 50, y: 100 }, width: 30, height: 120, angle: 0 };
    const letter = { centre: { x: 50, y: 170 }, width: 28, height: 30, angle: 0.3 };
    const joined = joinedPieces([letter, above]);
    expect(joined).to.have.length(1);
    expect([joined[0]!.width, joined[0]!.height]).to.deep.equal([30, 145]);
  });
});

describe('The place of a line', () => {
  const size = { width: 400, height: 300 };
  const centre = { x: 200, y: 100 };

  it('is the upright box around it when it is straight', () => {
    const straight = { centre, width: 100, height: 20, angle: 0.5 * DEGREE };
    expect(placementOf(straight, 0, size)).to.deep.include({ x: 149, width: 102, rotation: 0 });
  });

  for (const [quarters, corner] of [
    [1, { x: 210, y: 50, width: 100, height: 20, rotation: 270 }],
    [3, { x: 190, y: 150, width: 100, height: 20, rotation: 90 }],
  ] as const)
    it(`begins above the first letter of a line that is turned by ${quarters} quarters`, () => {
      const standing = { centre, width: 20, height: 100, angle: 0 };
      expect(placementOf(standing, quarters, size)).to.deep.equal(corner);
    });

  it('begins below right when the line stands on its head', () => {
    const line = { centre, width: 100, height: 20, angle: 0 };
    expect(placementOf(line, 2, size)).to.deep.equal({
      x: 250,
      y: 110,
      width: 100,
      height: 20,
      rotation: 180,
    });
  });

  it('is turned counter-clockwise by ROTATION around the corner where the line begins', () => {
    // A line that slopes down by 30 degrees.
    const { x, y, width, height, rotation } = placementOf(
      { centre, width: 100, height: 20, angle: 30 * DEGREE },
      0,
      size,
    );
    expect([width, height, rotation]).to.deep.equal([100, 20, 330]);
    const [cos, sin] = [Math.cos(30 * DEGREE), Math.sin(30 * DEGREE)];
    expect(x + (width * cos - height * sin) / 2).to.be.closeTo(200, 1);
    expect(y + (width * sin + height * cos) / 2).to.be.closeTo(100, 1);
  });
});

describe('Tracks of text', () => {
  it('last while the text stays, and say what the most confident detection says', () => {
    const frames = [
      [line('He1lo there', 5, 5, 0.7)],
      [line('He1lo there!', 6, 5, 0.9)],
      [line('He1lo thcre', 5, 6, 0.8)],
    ];
    expect(tracksOf(...frames)).to.deep.equal([['He1lo there!', 0, 20]]);
  });

  it('end when the text is gone for a sampled frame, and when another text takes its place', () => {
    const [hello, goodbye] = [line('Hello', 5, 5), line('Goodbye', 5, 5)];
    expect(tracksOf([hello], [], [hello])).to.deep.equal([['Hello', 0, 0], ['Hello', 20, 20]]); // oxfmt-ignore
    expect(tracksOf([hello], [goodbye])).to.deep.equal([['Hello', 0, 0], ['Goodbye', 10, 10]]); // oxfmt-ignore
  });

  it('follow the same words over a short way only', () => {
    expect(tracksOf([line('Credits', 5, 100)], [line('Credits', 5, 70)])).to.deep.equal([['Credits', 0, 10]]);
    expect(tracksOf([line('Credits', 5, 100)], [line('Credits', 5, 20)])).to.have.length(2);
  });

  it('keep lines of equal words apart', () => {
    const [above, below] = [line('EXIT', 5, 10), line('EXIT', 5, 40)];
    const frames = [[above, below], [below]];
    expect(tracksOf(...frames)).to.deep.equal([['EXIT', 0, 0], ['EXIT', 0, 10]]); // oxfmt-ignore
  });
});
