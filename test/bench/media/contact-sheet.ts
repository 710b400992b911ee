/**
 * A large picture full of small objects at known places: a contact sheet of the samples with ground truth
 * boxes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';

interface Picture {
  readonly id: number;
  readonly file_name: string;
  readonly width: number;
  readonly height: number;
}

interface Annotation {
  readonly id: number;
  readonly image_id: number;
  readonly category_id: number;
  readonly bbox: readonly [x: number, y: number, width: number, height: number];
  readonly area: number;
  readonly iscrowd: 0 | 1;
}

/** COCO format, like `objects.json`. */
interface Truth {
  readonly images: readonly Picture[];
  readonly categories: readonly { readonly id: number; readonly name: string }[];
  readonly annotations: readonly Annotation[];
}

export interface SheetSize {
  readonly width: number;
  readonly height: number;
}

/** Row heights of thumbnails, repeated to the end of the sheet. In low rows each picture shows one object. */
const ROWS = [30, 86, 107, 128];
const LOW = 40;
/**
 * In high rows, the small objects are the runners of one picture, with pictures of other things between them.
 */
const BETWEEN = ['race.jpg', 'rocket.jpg', 'race.jpg', 'race.jpg', 'coffee.png'];
const GAP = 4;
/** Size of small objects: the square root of their area in pixels. */
const SMALL = { least: 16, most: 32 };

interface Thumbnail {
  readonly picture: Picture;
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/**
 * Writes `sheet.png` with its truth into a folder. `small` counts only small objects and ignores all others.
 */
export async function writeContactSheet(
  folder: string,
  truthFile: string,
  size: SheetSize,
): Promise<{ readonly picture: string; readonly small: string; readonly all: string }> {
  const truth = JSON.parse(readFileSync(truthFile, 'utf8')) as Truth;
  const thumbnails = layOut(truth.images, size);
  const files = {
    picture: path.join(folder, 'sheet.png'),
    small: path.join(folder, 'sheet-small.json'),
    all: path.join(folder, 'sheet-all.json'),
  };
  await draw(thumbnails, files.picture, size);
  const boxes = boxesOf(thumbnails, truth);
  const sheet = { id: 1, file_name: 'sheet.png', ...size };
  const document = (annotations: readonly Annotation[]) =>
    JSON.stringify({ images: [sheet], categories: truth.categories, annotations });
  writeFileSync(files.all, document(boxes));
  writeFileSync(files.small, document(boxes.map((box) => (isSmall(box) ? box : { ...box, iscrowd: 1 }))));
  return files;
}

const isSmall = ({ area }: Annotation): boolean =>
  Math.sqrt(area) >= SMALL.least && Math.sqrt(area) <= SMALL.most;

function layOut(pictures: readonly Picture[], size: SheetSize): readonly Thumbnail[] {
  const alone = pictures.filter(({ file_name: name }) => !BETWEEN.includes(name));
  const between = BETWEEN.map((name) => pictures.find((one) => one.file_name === name)!);
  const thumbnails: Thumbnail[] = [];
  let turn = 0;
  for (let y = 0, row = 0; y + ROWS[row % ROWS.length]! <= size.height; row++) {
    const height = ROWS[row % ROWS.length]!;
    const shown = height < LOW ? alone : between;
    for (let x = 0; ;) {
      const picture = shown[turn++ % shown.length]!;
      const scale = height / picture.height;
      if (x + picture.width * scale > size.width) break;
      thumbnails.push({ picture, scale, x, y });
      x += Math.round(picture.width * scale) + GAP;
    }
    y += height + GAP;
  }
  return thumbnails;
}

async function draw(thumbnails: readonly Thumbnail[], file: string, size: SheetSize): Promise<void> {
  const layers = await Promise.all(
    thumbnails.map(async ({ picture, scale, x, y }) => {
      const size = {
        width: Math.round(picture.width * scale),
        height: Math.round(picture.height * scale),
      };
      const input = await sharp(path.join('samples', picture.file_name))
        .removeAlpha()
        .toColourspace('srgb')
        .resize({ ...size, fit: 'fill' })
        .png()
        .toBuffer();
      return { input, left: x, top: y };
    }),
  );
  await sharp({ create: { ...size, channels: 3, background: '#808080' } })
    .composite(layers)
    .png()
    .toFile(file);
}

function boxesOf(thumbnails: readonly Thumbnail[], { annotations }: Truth): readonly Annotation[] {
  return thumbnails
    .flatMap(({ picture, scale, x, y }) =>
      annotations
        .filter((one) => one.image_id === picture.id)
        .map((one) => {
          const [left, top, width, height] = one.bbox.map((value) => value * scale) as [number, number, number, number]; // oxfmt-ignore
          return { ...one, bbox: [x + left, y + top, width, height] as const, area: width * height };
        }),
    )
    .map((one, i) => ({ ...one, id: i + 1, image_id: 1 }));
}
