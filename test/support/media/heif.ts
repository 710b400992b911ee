/** Puts HEIF files together from the coded pictures of others: grids of tiles, turned and mirrored pictures, Exif. */
import { readFileSync } from 'node:fs';
import { sample } from '../../media/support/samples.ts';

/** A coded picture with the configuration of its decoder. */
export interface CodedPicture {
  readonly width: number;
  readonly height: number;
  readonly configuration: Buffer;
  readonly data: Buffer;
}

export interface HeifOptions {
  /** Tiles by rows; without it there is one picture. */
  readonly columns?: number;
  /** Size of the whole picture, when it differs from that of the tiles. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Quarters of a turn counter-clockwise (property irot). */
  readonly quarters?: number;
  /** 0 mirrors at the horizontal axis (top and bottom change places), 1 at the vertical one (property imir). */
  readonly mirror?: 0 | 1;
  readonly exifOrientation?: number;
  /** ICC profile of its colours (property colr). */
  readonly profile?: Buffer;
}

/** The path of a picture that heif-enc wrote. */
export const heifFixture = (name: string): string => sample(`../test/fixtures/heif/${name}`);

/** The pictures of such a file. */
export function codedPictures(name: string): CodedPicture[] {
  const file = readFileSync(heifFixture(name));
  const meta = child(boxes(file, 0, file.length), 'meta');
  const parts = boxes(file, meta.from + 4, meta.to);
  const properties = boxes(file, child(parts, 'iprp').from, child(parts, 'iprp').to);
  const container = boxes(file, child(properties, 'ipco').from, child(properties, 'ipco').to);
  const used = associations(file, child(properties, 'ipma').from);
  return extents(file, child(parts, 'iloc').from).map(({ item, data }) => {
    const mine = (used.get(item) ?? []).map((index) => container[index - 1]!);
    const size = child(mine, 'ispe').from + 4;
    const configuration = child(mine, 'hvcC');
    return {
      width: file.readUInt32BE(size),
      height: file.readUInt32BE(size + 4),
      configuration: file.subarray(configuration.from, configuration.to),
      data,
    };
  });
}

/** A HEIF file that shows one picture. */
export function heifOf(pictures: readonly CodedPicture[], options: HeifOptions = {}): Buffer {
  const [first] = pictures;
  const columns = options.columns ?? 1;
  const rows = pictures.length / columns;
  const isGrid = pictures.length > 1;
  const whole = options.size ?? { width: first!.width * columns, height: first!.height * rows };
  const exif = options.exifOrientation === undefined ? [] : [exifOf(options.exifOrientation)];
  const primary = isGrid ? pictures.length + 1 : 1;
  const contents = [
    ...pictures.map(({ data }) => data),
    ...(isGrid ? [gridOf(rows, columns, whole)] : []),
    ...exif,
  ];
  const types = [...pictures.map(() => 'hvc1'), ...(isGrid ? ['grid'] : []), ...exif.map(() => 'Exif')];
  const lie = [
    ...(options.quarters === undefined ? [] : [box('irot', Buffer.from([options.quarters]))]),
    ...(options.mirror === undefined ? [] : [box('imir', Buffer.from([options.mirror]))]),
    ...(options.profile === undefined ? [] : [box('colr', Buffer.from('prof'), options.profile)]),
  ];
  const properties = [
    ...pictures.flatMap(({ configuration, width, height }) => [
      box('hvcC', configuration),
      sizeBox({ width, height }),
    ]),
    sizeBox(whole),
    ...lie,
  ];
  const last = pictures.length * 2;
  const liePlaces = lie.map((_, index) => last + 2 + index);
  const uses = pictures.map((_, index) => ({ item: index + 1, places: [index * 2 + 1, index * 2 + 2] }));
  if (isGrid) uses.push({ item: primary, places: [last + 1, ...liePlaces] });
  else uses[0]!.places.push(...liePlaces);
  const references = [
    ...(isGrid
      ? [
          reference(
            'dimg',
            primary,
            pictures.map((_, index) => index + 1),
          ),
        ]
      : []),
    ...exif.map((_, index) => reference('cdsc', primary + 1 + index, [primary])),
  ];
  const meta = (at: number): Buffer =>
    fullBox(
      'meta',
      fullBox('hdlr', Buffer.alloc(4), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', u16(primary)),
      fullBox('iinf', u16(types.length), ...types.map((type, index) => itemInfo(index + 1, type))),
      box('iprp', box('ipco', ...properties), associationBox(uses)),
      ...(references.length === 0 ? [] : [fullBox('iref', ...references)]),
      placesOf(contents, at),
    );
  const type = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'));
  const start = type.length + meta(0).length + 8;
  return Buffer.concat([type, meta(start), box('mdat', ...contents)]);
}

interface Box {
  readonly type: string;
  /** Of what it holds. */
  readonly from: number;
  readonly to: number;
}

function boxes(file: Buffer, from: number, to: number): Box[] {
  const found: Box[] = [];
  for (let at = from; at < to; at += file.readUInt32BE(at))
    found.push({
      type: file.toString('latin1', at + 4, at + 8),
      from: at + 8,
      to: at + file.readUInt32BE(at),
    });
  return found;
}

function child(all: readonly Box[], type: string): Box {
  const found = all.find((one) => one.type === type);
  if (found === undefined) throw new Error(`there is no ${type}`);
  return found;
}

/** Numbers of properties by item (version 0, without large numbers). */
function associations(file: Buffer, from: number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  let at = from + 8;
  for (let left = file.readUInt32BE(from + 4); left > 0; left--) {
    const count = file.readUInt8(at + 2);
    const places = [...file.subarray(at + 3, at + 3 + count)].map((entry) => entry & 0x7f);
    found.set(file.readUInt16BE(at), places);
    at += 3 + count;
  }
  return found;
}

/** What each item holds (version 0 with bases, offsets and lengths of four bytes, one extent each). */
function extents(file: Buffer, from: number): { item: number; data: Buffer }[] {
  return Array.from({ length: file.readUInt16BE(from + 6) }, (_, index) => {
    const at = from + 8 + index * 18;
    const start = file.readUInt32BE(at + 4) + file.readUInt32BE(at + 10);
    return {
      item: file.readUInt16BE(at),
      data: file.subarray(start, start + file.readUInt32BE(at + 14)),
    };
  });
}

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const size = content.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(size), Buffer.from(type, 'latin1'), ...content]);
}

const fullBox = (type: string, ...content: readonly Buffer[]): Buffer => box(type, u32(0), ...content);

const sizeBox = ({ width, height }: { width: number; height: number }): Buffer =>
  fullBox('ispe', u32(width), u32(height));

function itemInfo(item: number, type: string): Buffer {
  return box('infe', u32(0x02000000), u16(item), u16(0), Buffer.from(`${type}\0`, 'latin1'));
}

const reference = (type: string, from: number, to: readonly number[]): Buffer =>
  box(type, u16(from), u16(to.length), ...to.map(u16));

function associationBox(uses: readonly { item: number; places: readonly number[] }[]): Buffer {
  const entries = uses.map(({ item, places }) =>
    Buffer.concat([u16(item), Buffer.from([places.length, ...places.map((place) => place | 0x80)])]),
  );
  return fullBox('ipma', u32(uses.length), ...entries);
}

function placesOf(contents: readonly Buffer[], start: number): Buffer {
  let at = start;
  const entries = contents.map((content, index) => {
    const entry = Buffer.concat([u16(index + 1), u16(0), u16(1), u32(at), u32(content.length)]);
    at += content.length;
    return entry;
  });
  return fullBox('iloc', Buffer.from([0x44, 0]), u16(contents.length), ...entries);
}

function gridOf(rows: number, columns: number, { width, height }: { width: number; height: number }): Buffer {
  return Buffer.concat([Buffer.from([0, 1, rows - 1, columns - 1]), u32(width), u32(height)]);
}

/** Four bytes that say where the TIFF header begins, then one with the orientation alone. */
function exifOf(orientation: number): Buffer {
  const tiff = 'MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01';
  return Buffer.concat([u32(6), Buffer.from(`Exif\0\0${tiff}`, 'latin1'), u16(orientation), Buffer.alloc(6)]);
}
