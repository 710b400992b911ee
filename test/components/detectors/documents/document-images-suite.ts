import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';
import loadBarcodes from '../../../../components/detectors/barcodes/detector.ts';
import load from '../../../../components/detectors/document-images/detector.ts';
import loadText from '../../../../components/detectors/text/detector.ts';
import { readImage } from '../../../../media/picture/image-frame.ts';
import { resolvePlan } from '../../../../domain/plan/plan-checks.ts';
import type { Action, Algorithm, Pipeline, Properties, Task } from '../../../../domain/types.ts';
import { mimeTypeOf } from '../../../../media/inspect/mime.ts';
import { scratchFolder } from '../../../media/support/samples.ts';
import { docx, emf, odf, pptx, relations, wmf, xlsx } from '../../../support/media/office.ts';
import { areasOf, FIRST_STREAM, pdfOf, writeLines, type PdfStream } from '../../../support/media/pdf.ts';
import { sample } from '../../models/recorded-media.ts';
import { all, descriptorOf, jobOf, NO_MODELS, noise } from '../../visual.ts';

/** A picture with pseudo-random pixels. */
function pixels(width: number, height: number, channels: 1 | 3, seed: number): Uint8Array {
  return Uint8Array.from({ length: width * height * channels }, (_, i) => noise(i, seed, 3) * 256);
}

async function png(width: number, height: number, seed: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 as const };
  return sharp(pixels(width, height, 3, seed), { raw })
    .png()
    .toBuffer();
}

async function rawOf(path: string): Promise<Buffer> {
  return sharp(path).raw().toBuffer();
}

function picture(width: number, height: number, data: Uint8Array, more: string): PdfStream {
  const head = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${more} /Filter /FlateDecode`;
  return { head, data: deflateSync(data) };
}

/** The compressed data of a TIFF file with one strip. */
function stripOf(tiff: Buffer): Buffer {
  const directory = tiff.readUInt32LE(4);
  const tags = new Map<number, number>();
  for (let i = 0; i < tiff.readUInt16LE(directory); i++) {
    const at = directory + 2 + i * 12;
    const short = tiff.readUInt16LE(at + 2) === 3;
    tags.set(tiff.readUInt16LE(at), short ? tiff.readUInt16LE(at + 8) : tiff.readUInt32LE(at + 8));
  }
  return tiff.subarray(tags.get(273), tags.get(273)! + tags.get(279)!);
}

const rgb = (width: number, height: number, data: Uint8Array, more = '') =>
  picture(width, height, data, `/ColorSpace /DeviceRGB /BitsPerComponent 8 ${more}`);
const show = (...names: readonly string[]) =>
  names.map((name) => `q 100 0 0 100 50 600 cm /${name} Do Q`).join('\n');

/** `isLong`: includes larger variations and other values of the same cases. */
export function documentImages({ isLong }: { readonly isLong: boolean }): void {
  describe('The DOCUMENT IMAGES component', () => {
    let folder = '';
    before(() => {
      folder = scratchFolder();
    });
    after(() => rm(folder, { recursive: true, force: true }));

    interface Found {
      readonly path: string;
      readonly pages: string;
      readonly rendered?: string;
    }

    let warnings: string[] = [];

    async function find(path: string, properties: Properties = {}): Promise<Found[]> {
      const outputFolder = await mkdtemp(join(folder, 'out-'));
      const detector = await load();
      let steps = 0;
      const working = () => {
        steps++;
      };
      const source = { path, mimeType: await mimeTypeOf(path), outputFolder, working };
      warnings = [];
      const warn = (message: string) => void warnings.push(message);
      const job = { ...(await jobOf('document-images', properties)), warn };
      const parts = await all(detector.generic!(source, job));
      const found = parts.map((part) => {
        expect([part.type, part.confidence]).to.deep.equal(['MEDIA', -1]);
        const file = part.properties['DERIVATIVE_MEDIA_TEMP_PATH'] ?? '';
        expect([isAbsolute(file), dirname(file)]).to.deep.equal([true, outputFolder]);
        const rendered = part.properties['RENDERED_PAGE'];
        return {
          path: file,
          pages: part.properties['PAGE_NUM'] ?? '',
          ...(rendered === undefined ? {} : { rendered }),
        };
      });
      expect((await readdir(outputFolder)).sort()).to.deep.equal(
        found.map((file) => basename(file.path)).sort(),
      );
      expect(steps).to.be.at.least(found.length);
      return found;
    }

    async function findIn(bytes: Uint8Array, properties: Properties = {}): Promise<Found[]> {
      const path = join(folder, 'document');
      await writeFile(path, bytes);
      return find(path, properties);
    }

    describe('takes pictures out of PDF', () => {
      it('as they are in a document of an office program', async () => {
        const [first, second, ...others] = await find(sample('text-embedded-and-images.pdf'));
        expect(others).to.deep.equal([]);
        expect([first!.pages, second!.pages]).to.deep.equal(['1', '2']);
        // Hash of the pixels in the stream of object 4.
        const known = '1e45c950b83139090a3ce5a381f8036a';
        expect(
          createHash('md5')
            .update(await rawOf(first!.path))
            .digest('hex'),
        ).to.equal(known);
        const { width, height, format } = await sharp(second!.path).metadata();
        expect([width, height, format]).to.deep.equal([229, 95, 'png']);
      });

      it('pixel by pixel, each once, with all the pages it stands on', async () => {
        const [one, two] = [pixels(40, 30, 3, 1), pixels(33, 17, 1, 2)];
        const streams = [
          rgb(40, 30, one),
          picture(33, 17, two, '/ColorSpace /DeviceGray /BitsPerComponent 8'),
          // Other bytes, the same pixels.
          rgb(40, 30, one, '/Interpolate true'),
        ];
        const [A, B, C] = [FIRST_STREAM, FIRST_STREAM + 1, FIRST_STREAM + 2];
        const file = pdfOf(
          [
            { content: show('A', 'B', 'A'), pictures: { A, B } },
            { content: show('B'), pictures: { B } },
            { content: show('C', 'B'), pictures: { C, B } },
            { content: show('B'), pictures: { B } },
          ],
          streams,
        );
        const found = await findIn(file);
        expect(found.map(({ pages }) => pages)).to.deep.equal(['1; 3', '1; 2; 3; 4']);
        expect(Buffer.compare(await rawOf(found[0]!.path), one)).to.equal(0);
        const grey = await sharp(found[1]!.path).extractChannel(0).raw().toBuffer();
        expect(Buffer.compare(grey, two)).to.equal(0);
      });

      it('on white where they let the paper shine through', async () => {
        const streams = [
          rgb(20, 20, new Uint8Array(1200), `/SMask ${FIRST_STREAM + 1} 0 R`),
          picture(20, 20, Uint8Array.from({ length: 400 }, (_, i) => (i < 200 ? 0 : 255)), '/ColorSpace /DeviceGray /BitsPerComponent 8'), // oxfmt-ignore
        ];
        const [found] = await findIn(pdfOf([{ content: show('A'), pictures: { A: FIRST_STREAM } }], streams));
        const raw = await rawOf(found!.path);
        expect([raw.length, raw[0], raw[1199]]).to.deep.equal([1200, 255, 0]);
      });

      it('of one bit a pixel, as scanners make them', async () => {
        const bits = Uint8Array.from({ length: 3 * 20 }, (_, i) => (i % 3 === 0 ? 0xf0 : 0xff));
        const file = pdfOf(
          [{ content: show('A'), pictures: { A: FIRST_STREAM } }],
          [picture(20, 20, bits, '/ImageMask true /BitsPerComponent 1')],
        );
        const [found] = await findIn(file);
        const raw = await sharp(found!.path).extractChannel(0).raw().toBuffer();
        expect([...raw.subarray(0, 20)].map((value) => (value === 255 ? 1 : 0)).join('')).to.equal(
          '11110000111111111111',
        );
      });
    });

    describe('of pictures of PDF that are large or damaged', () => {
      /** The upper half is black, the lower half is white. */
      function bits(width: number, height: number): PdfStream {
        const row = Math.ceil(width / 8);
        const data = Buffer.alloc(row * height, 255).fill(0, 0, row * (height >> 1));
        return picture(width, height, data, '/ColorSpace /DeviceGray /BitsPerComponent 1');
      }
      const onePage = { content: show('A'), pictures: { A: FIRST_STREAM } };

      it('keeps those of more than 100 megapixels at a lower resolution', async () => {
        const [found] = await findIn(pdfOf([onePage], [bits(12_000, 8_500)]));
        expect(warnings).to.deep.equal([]);
        const { width, height } = await sharp(found!.path).metadata();
        expect(width * height).to.be.within(99_000_000, 100_000_000);
        expect(width / height).to.be.closeTo(12_000 / 8_500, 0.001);
      });

      it('warns of those with more pixels than are decoded, with their pages', async () => {
        const small = rgb(40, 30, pixels(40, 30, 3, 1));
        const file = pdfOf(
          [
            { content: '' },
            { content: show('A', 'B'), pictures: { A: FIRST_STREAM, B: FIRST_STREAM + 1 } },
            onePage,
          ],
          [bits(13_000, 12_000), small],
        );
        expect((await findIn(file)).map(({ pages }) => pages)).to.deep.equal(['2']);
        expect(warnings).to.deep.equal([
          'Not processed: 2 pictures of more than 150000000 pixels. Put them in at a lower resolution. (Pages: 2, 3)',
        ]);
      });

      it('warns of those that cannot be decoded, with their pages and places', async () => {
        const damageStream = (width: number, filter: string): PdfStream => ({
          head: `/Subtype /Image /Width ${width} /Height 30 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /${filter}`,
          data: Buffer.from('no picture at all'),
        });
        const streams = [
          rgb(40, 30, pixels(40, 30, 3, 1)),
          damageStream(50, 'DCTDecode'),
          damageStream(60, 'JPXDecode'),
          damageStream(9, 'DCTDecode'),
          { head: '/Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8', data: Buffer.alloc(9) },
        ];
        const names = ['A', 'B', 'C', 'D', 'E'] as const;
        const pictures = Object.fromEntries(names.map((name, n) => [name, FIRST_STREAM + n]));
        const pages = [
          { content: show('A'), pictures },
          { content: show('A', 'B', 'D'), pictures },
          { content: show('C', 'E'), pictures },
        ];
        expect((await findIn(pdfOf(pages))).map((found) => found.pages)).to.deep.equal([]);
        expect((await findIn(pdfOf(pages, streams))).map((found) => found.pages)).to.deep.equal(['1; 2']);
        expect(warnings).to.deep.equal([
          'Not processed: 3 pictures that cannot be decoded: picture 2 of page 2 (50 x 30 pixels), picture 1 of page 3 (60 x 30 pixels). Replace them, or submit them as image files. (Pages: 2, 3)',
        ]);
      });

      if (isLong)
        it('draws the page of a picture of 144 megapixels', async () => {
          const file = pdfOf([onePage], [bits(12_000, 12_000)]);
          const found = await findIn(file, { RENDER_PAGES: 'TRUE', RENDER_RESOLUTION: '72' });
          expect(found.map(({ rendered }) => rendered)).to.deep.equal([undefined, 'TRUE']);
          const { data, info } = await sharp(found[1]!.path)
            .greyscale()
            .raw()
            .toBuffer({ resolveWithObject: true });
          // The picture is 100 points wide and high, 50 points from the left and 100 from the top.
          const at = (x: number, y: number) => data[(y * info.width + x) * info.channels]!;
          expect(at(100, 125)).to.be.lessThan(20);
          expect(at(100, 175)).to.be.greaterThan(235);
        });
    });

    describe('renders pages of PDF', () => {
      const LINES = ['HELLO OPENMPF 2026', 'The quick brown fox jumps.'];
      /** A row of bars: complex like text drawn as outlines, but faster to draw. */
      const bars = `${Array.from({ length: 40 }, (_, n) => `${100 + n * 10} 400 ${1 + (n % 4)} 90 re`).join(' ')} f`;

      async function read(path: string): Promise<(string | undefined)[]> {
        const detector = await loadText(NO_MODELS);
        const tracks = await all(detector.image!(await readImage(path), await jobOf('text')));
        await detector.close!();
        return tracks.map(({ properties }) => properties?.['TEXT']);
      }

      it('whose text is drawn and not embedded, so that it can be read', async () => {
        const drawn = await areasOf(sample('gen_text.png'));
        const pages = [
          { content: writeLines([50, 700, 'embedded text']) },
          { content: drawn },
          { content: '' },
        ];
        const [page, ...others] = await findIn(pdfOf(pages));
        expect(others).to.deep.equal([]);
        expect([page!.pages, page!.rendered]).to.deep.equal(['2', 'TRUE']);
        const { width, height, format } = await sharp(page!.path).metadata();
        // 600 x 800 points at 200 dots per inch.
        expect([width, height, format]).to.deep.equal([1666, 2222, 'png']);
        expect(await read(page!.path)).to.deep.equal(LINES);
      });

      if (isLong)
        it('whose bar codes are drawn', async () => {
          const wasm = createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm');
          await prepareZXingModule({
            overrides: { wasmBinary: new Uint8Array(await readFile(wasm)).buffer },
            fireImmediately: true,
          });
          const { image } = await writeBarcode('4006381333931', { format: 'EAN13', scale: 2 });
          const [page] = await findIn(
            pdfOf([{ content: await areasOf(Buffer.from(await image!.arrayBuffer())) }]),
          );
          const barcodes = await loadBarcodes();
          const found = await all(barcodes.image!(await readImage(page!.path), await jobOf('barcodes')));
          expect(found.map(({ properties }) => properties?.['TEXT'])).to.deep.equal(['4006381333931']);
        });

      it('none or all of them, at another resolution and up to a number, as the properties say', async () => {
        const pages = [
          { content: writeLines([50, 700, 'one']) },
          { content: bars },
          { content: writeLines([50, 700, 'three']) },
        ];
        const file = pdfOf(pages);
        expect(await findIn(file, { RENDER_PAGES: 'FALSE' })).to.deep.equal([]);
        const every = await findIn(file, { RENDER_PAGES: 'true', RENDER_RESOLUTION: '36' });
        expect(every.map((page) => page.pages)).to.deep.equal(['1', '2', '3']);
        expect((await sharp(every[0]!.path).metadata()).width).to.equal(300);
        const two = await findIn(file, {
          RENDER_PAGES: 'TRUE',
          MAX_RENDERED_PAGES: '2',
          RENDER_RESOLUTION: '36',
        });
        expect(two.map((page) => page.pages)).to.deep.equal(['1', '2']);
        expect(warnings).to.deep.equal([
          'Not rendered: 1 page, because MAX_RENDERED_PAGES allows 2. Raise it to render them. (Pages: 3)',
        ]);
        await findIn(file, { MAX_RENDERED_PAGES: '1', RENDER_RESOLUTION: '36' });
        expect(warnings, 'AUTO renders one').to.deep.equal([]);
        for (const wrong of [
          { RENDER_PAGES: 'SOME' },
          { RENDER_RESOLUTION: '1200' },
          { MAX_RENDERED_PAGES: '-1' },
        ]) {
          const error = await findIn(file, wrong).catch((e: unknown) => e);
          expect(error, JSON.stringify(wrong)).to.include({ code: 'INVALID_PROPERTY' });
        }
      });

      it('but not those that show a picture on coloured paper in a frame', async () => {
        const paper = '1 1 0.9 rg 0 0 600 800 re f 0 0 0 RG 40 40 520 720 re S';
        const content = `${paper}\n${show('A')}`;
        const file = pdfOf([{ content, pictures: { A: FIRST_STREAM } }], [rgb(40, 30, pixels(40, 30, 3, 1))]);
        const found = await findIn(file);
        expect(found.map(({ rendered }) => rendered)).to.deep.equal([undefined]);
      });

      if (isLong)
        it('of a size that no printer has at a lower resolution', async () => {
          const path = join(folder, 'poster.pdf');
          const poster = pdfOf([{ content: bars }])
            .toString('latin1')
            .replace(' [0 0 600 800] ', '[0 0 9000 9000]');
          await writeFile(path, poster, 'latin1');
          const [page] = await find(path, { RENDER_RESOLUTION: '600' });
          const { width, height } = await sharp(page!.path).metadata();
          expect(width * height).to.be.within(40_000_000, 48_000_000);
        });

      it('and leaves out one that cannot be drawn, with a warning, and keeps all others', async () => {
        const pages = [{ content: bars }, { content: bars }, { content: bars }];
        const file = pdfOf(pages).toString('latin1').split('/MediaBox');
        // The second page is wider than the largest allowed picture.
        const wide = file[2]!.replace(/\[[^\]]*\]/, '[0 0 2000000 2]');
        const path = join(folder, 'wide.pdf');
        await writeFile(path, [file[0], file[1], wide, ...file.slice(3)].join('/MediaBox'), 'latin1');
        const found = await find(path, { RENDER_RESOLUTION: '72' });
        expect(found.map((page) => page.pages)).to.deep.equal(['1', '3']);
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.match(/^Not rendered: 1 page\. The first cannot be drawn: .*\(Pages: 2\)$/);
      });

      it('and tries no more of them after three that cannot be drawn', async () => {
        const path = join(folder, 'all-wide.pdf');
        const pages = Array.from({ length: 5 }, () => ({ content: bars }));
        const wide = pdfOf(pages)
          .toString('latin1')
          .replaceAll(/\/MediaBox ?\[[^\]]*\]/g, '/MediaBox [0 0 2000000 2]');
        await writeFile(path, wide, 'latin1');
        expect(await find(path, { RENDER_RESOLUTION: '72' })).to.deep.equal([]);
        expect(warnings[0]).to.match(
          /^Not rendered: 5 pages\. .* After 3 such pages, no others were tried\. .*\(Pages: 1 - 5\)$/,
        );
      });

      it('and stops when the job is cancelled', async () => {
        const path = join(folder, 'drawn.pdf');
        await writeFile(path, pdfOf(Array.from({ length: 50 }, () => ({ content: bars }))));
        const cancel = new AbortController();
        const job = {
          ...(await jobOf('document-images', { RENDER_RESOLUTION: '72' })),
          signal: cancel.signal,
        };
        const working = () => cancel.abort(new Error('cancelled'));
        const source = {
          path,
          mimeType: 'application/pdf',
          outputFolder: await mkdtemp(join(folder, 'out-')),
          working,
        };
        const error = await all((await load()).generic!(source, job)).catch((e: Error) => e.message);
        expect(error).to.equal('cancelled');
      });
    });

    describe('decodes pictures of PDF that are packed as', () => {
      const page = { content: show('A'), pictures: { A: FIRST_STREAM } };

      it('a photograph', async () => {
        const jpeg = await sharp(sample('rocket.jpg')).resize(200).jpeg().toBuffer();
        const { width, height } = await sharp(jpeg).metadata();
        const head = `/Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`;
        const [found] = await findIn(pdfOf([page], [{ head, data: jpeg }]));
        const [got, wanted] = [await rawOf(found!.path), await sharp(jpeg).raw().toBuffer()];
        expect(got.length).to.equal(wanted.length);
        const unlike = got.reduce((sum, value, i) => sum + Math.abs(value - wanted[i]!), 0) / got.length;
        expect(unlike).to.be.lessThan(2);
      });

      it('a fax', async () => {
        const black = Buffer.alloc(64 * 32, 255).fill(0, 64 * 8, 64 * 16);
        const tiff = await sharp(black, { raw: { width: 64, height: 32, channels: 1 } })
          .toColourspace('b-w')
          .tiff({ compression: 'ccittfax4', bitdepth: 1 })
          .toBuffer();
        const head =
          '/Subtype /Image /Width 64 /Height 32 /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 64 /Rows 32 /BlackIs1 true >>';
        const [found] = await findIn(pdfOf([page], [{ head, data: stripOf(tiff) }]));
        const grey = await sharp(found!.path).extractChannel(0).raw().toBuffer();
        const wanted = await sharp(tiff).extractChannel(0).raw().toBuffer();
        expect(Buffer.compare(grey, wanted)).to.equal(0);
      });
    });

    describe('takes the files out of', () => {
      const image = (id: string, file: string) => [id, 'image', `../media/${file}`] as const;
      const blip = (id: string) => `<a:blip r:embed="${id}"/>`;

      it('DOCX, as they are and without drawings', async () => {
        const bytes = await png(30, 20, 5);
        const body =
          `<w:p><w:r>${blip('i1')}</w:r></w:p><w:p><w:r><w:t>x</w:t><w:br w:type="page"/></w:r></w:p>` +
          `<w:p><w:r>${blip('i1')}${blip('i2')}${blip('away')}<w:pict><v:imagedata xmlns:v="v" r:id="i3"/></w:pict></w:r></w:p>`;
        const found = await findIn(
          docx(body, {
            'word/_rels/document.xml.rels': relations(
              ['i1', 'image', 'media/image1.png'],
              ['i2', 'image', 'media/drawing.emf'],
              ['i3', 'image', 'media/Image1.PNG'],
            ),
            'word/media/image1.png': bytes,
            'word/media/drawing.emf': Buffer.alloc(100, 1),
          }),
        );
        expect(found.map(({ pages }) => pages)).to.deep.equal(['1; 2']);
        expect(Buffer.compare(await readFile(found[0]!.path), bytes)).to.equal(0);
      });

      it('PPTX and XLSX', async () => {
        const bytes = await png(30, 20, 6);
        const slides = pptx(['', blip('i1')], {
          'ppt/slides/_rels/slide2.xml.rels': relations(image('i1', 'a.png')),
          'ppt/media/a.png': bytes,
        });
        expect((await findIn(slides)).map(({ pages }) => pages)).to.deep.equal(['2']);
        const sheets = xlsx(['', ''], {
          'xl/worksheets/_rels/sheet2.xml.rels': relations(['d', 'drawing', '../drawings/drawing1.xml']),
          'xl/drawings/drawing1.xml': `<xdr:wsDr xmlns:xdr="x" xmlns:a="a" xmlns:r="r">${blip('i1')}</xdr:wsDr>`,
          'xl/drawings/_rels/drawing1.xml.rels': relations(image('i1', 'a.png')),
          'xl/media/a.png': bytes,
        });
        expect((await findIn(sheets)).map(({ pages }) => pages)).to.deep.equal(['2']);
      });

      it('ODF', async () => {
        const bytes = await png(30, 20, 7);
        const shown = '<draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame>';
        const away =
          '<draw:image xlink:href="https://example.com/b.png"/><draw:image xlink:href="../../etc/passwd"/>';
        const page = (content: string) => `<draw:page draw:master-page-name="M">${content}</draw:page>`;
        const parts = { 'Pictures/a.png': bytes };
        const file = odf('presentation', page(shown) + page(away) + page(shown), { parts });
        const found = await findIn(file);
        expect(found.map(({ pages }) => pages)).to.deep.equal(['1; 3']);
        expect(Buffer.compare(await readFile(found[0]!.path), bytes)).to.equal(0);
      });
    });

    it('skips drawings in EMF, WMF, SVG and SVM, packed or not, and warns with their pages', async () => {
      const files = {
        'a.emf': emf(),
        'b.wmf': wmf(true),
        'c.wmf': wmf(false),
        'd.emz': gzipSync(emf(1)),
        'e.png': await png(30, 20, 8),
        'f.bin': Buffer.alloc(100, 1),
        'g.svg': Buffer.from('<?xml version="1.0"?>\n<!-- by a program -->\n<svg xmlns="s"></svg>'),
        'h.svgz': gzipSync('<svg/>'),
        'i.svm': Buffer.from('VCLMTF\x01\0'),
        'j.xml': Buffer.from('<text>an &lt;svg> is not here</text>'),
      };
      const names = Object.keys(files);
      const blips = (...letters: string[]) =>
        letters.map((letter) => `<a:blip r:embed="${letter}"/>`).join('');
      const listed = relations(...names.map((name) => [name[0]!, 'image', `../media/${name}`] as const));
      const slides = [
        blips('a', 'e'),
        blips('f'),
        blips('a', 'b'),
        blips('c', 'd'),
        blips('g', 'j'),
        blips('h', 'i'),
      ];
      const parts = Object.fromEntries([
        ...names.map((name) => [`ppt/media/${name}`, files[name as keyof typeof files]] as const),
        ...slides.map((_, n) => [`ppt/slides/_rels/slide${n + 1}.xml.rels`, listed] as const),
      ]);
      const found = await findIn(pptx(slides, parts));
      expect(found.map(({ pages }) => pages)).to.deep.equal(['1']);
      expect(warnings).to.deep.equal([
        'Not processed: 7 pictures in EMF, WMF, SVG or SVM. Put them in as PNG, or submit the document as PDF with RENDER_PAGES=TRUE. (Pages: 1, 3 - 6)',
      ]);
      await findIn(pptx(slides.slice(1, 2), parts));
      expect(warnings).to.deep.equal([]);
    });

    it('takes the picture that ODF keeps beside a drawing, and warns of drawings that have none', async () => {
      const parts = { 'Pictures/a.png': await png(30, 20, 7), 'Pictures/a.svg': Buffer.from('<svg/>') };
      const image = (name: string) => `<draw:image xlink:href="Pictures/${name}"/>`;
      const page = (content: string) =>
        `<draw:page draw:master-page-name="M"><draw:frame>${content}</draw:frame></draw:page>`;
      const [both, alone] = [page(image('a.svg') + image('a.png')), page(image('a.svg'))];
      expect((await findIn(odf('presentation', both, { parts }))).map(({ pages }) => pages)).to.deep.equal([
        '1',
      ]);
      expect(warnings).to.deep.equal([]);
      expect(await findIn(odf('presentation', both + alone, { parts }))).to.have.lengthOf(1);
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0]).to.match(/^Not processed: 1 picture .*\(Pages: 2\)$/);
    });

    it('leaves out what is smaller than MIN_IMAGE_SIZE', async () => {
      const streams = [rgb(100, 15, pixels(100, 15, 3, 8)), rgb(16, 16, pixels(16, 16, 3, 9))];
      const file = pdfOf(
        [{ content: show('A', 'B'), pictures: { A: FIRST_STREAM, B: FIRST_STREAM + 1 } }],
        streams,
      );
      expect(await findIn(file)).to.have.length(1);
      expect(await findIn(file, { MIN_IMAGE_SIZE: '0' })).to.have.length(2);
      expect(await findIn(file, { MIN_IMAGE_SIZE: '17' })).to.have.length(0);
      const slide = pptx(['<a:blip r:embed="i"/>'], {
        'ppt/slides/_rels/slide1.xml.rels': relations(['i', 'image', '../media/a.png']),
        'ppt/media/a.png': await png(40, 10, 1),
      });
      expect(await findIn(slide)).to.have.length(0);
      const error = await findIn(file, { MIN_IMAGE_SIZE: 'small' }).catch((e: unknown) => e);
      expect(error).to.include({ code: 'INVALID_PROPERTY' });
    });

    it('finds nothing in text, and refuses damaged documents and other kinds', async () => {
      expect(await findIn(Buffer.from('just text\n'))).to.deep.equal([]);
      const bytes = await readFile(sample('text-embedded-and-images.pdf'));
      const code = (content: Uint8Array) => findIn(content).catch((error: { code: string }) => error.code);
      const codes = [await code(bytes.subarray(0, 20_000)), await code(Buffer.from([1, 2, 0]))];
      expect(codes).to.deep.equal(['COULD_NOT_READ_MEDIA', 'UNSUPPORTED_DATA_TYPE']);
    });

    it('is offered in a pipeline that reads the text of documents and of their pictures', async () => {
      const known = await Promise.all(['document-images', 'document-text', 'text'].map(descriptorOf));
      const countByName = <T extends { readonly name: string }>(lists: readonly (readonly T[])[]) => {
        const byName = new Map(lists.flat().map((element) => [element.name, element]));
        return (name: string): T | undefined => byName.get(name);
      };
      const catalog = {
        pipeline: countByName<Pipeline>(known.map(({ pipelines }) => pipelines)),
        task: countByName<Task>(known.map(({ tasks }) => tasks)),
        action: countByName<Action>(known.map(({ actions }) => actions)),
        algorithm: countByName<Algorithm>(
          known.map(({ algorithm }) => [{ ...algorithm, supportsBatchProcessing: true }]),
        ),
      };
      const plan = resolvePlan(catalog, { pipelineName: 'DOCUMENT IMAGES THEN TEXT DETECTION PIPELINE' });
      expect(plan).to.have.property('ok');
      const tasks = 'ok' in plan ? plan.ok.tasks : [];
      expect(
        tasks.map(({ actions: [action] }) => [action?.algorithm.name, action?.properties]),
      ).to.deep.equal([
        ['DOCUMENT IMAGES', { SOURCE_MEDIA_ONLY: 'TRUE' }],
        ['DOCUMENT TEXT', { SOURCE_MEDIA_ONLY: 'TRUE' }],
        ['TEXT', { DERIVATIVE_MEDIA_ONLY: 'TRUE' }],
      ]);
      expect([known[0]?.algorithm.trackType, known[0]?.pipelines[0]?.name]).to.deep.equal([
        'MEDIA',
        'DOCUMENT IMAGES DETECTION PIPELINE',
      ]);
    });
  });
}
