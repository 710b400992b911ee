import { expect } from 'chai';
import * as fc from 'fast-check';
import { readFile, stat, writeFile } from 'node:fs/promises';
import loadImages from '../../../../components/detectors/document-images/detector.ts';
import loadText from '../../../../components/detectors/document-text/detector.ts';
import { MAX_XML_PIECE_BYTES } from '../../../../files/xml.ts';
import { Package } from '../../../../components/documents/office/package.ts';
import { inTime } from '../../../../components/documents/pdf/pdf.ts';
import { mimeTypeOf } from '../../../../media/inspect/mime.ts';
import { runs, seeded } from '../../../support/seed.ts';
import { docx, odf } from '../../../support/media/office.ts';
import { FIRST_STREAM, pdfOf, writeLines } from '../../../support/media/pdf.ts';
import { zipOf } from '../../../support/media/zip.ts';
import { Reading } from './document-reading.ts';
import { sample } from '../../models/recorded-media.ts';
import { all, jobOf } from '../../visual.ts';

/** `isLong`: includes larger variations and other values of the same cases. */
export function documentsRefused({ isLong }: { readonly isLong: boolean }): void {
  describe('A component for documents refuses', () => {
    const reading = new Reading();
    before(() => reading.open());
    after(() => reading.close());
    const refusal = (content: string | Uint8Array, mimeType?: string) => reading.refusal(content, mimeType);

    it('damaged documents', async () => {
      const cut = async (name: string) => {
        const bytes = await readFile(sample(name));
        return (await refusal(bytes.subarray(0, bytes.length / 2)))[0];
      };
      for (const name of ['text-embedded-and-images.pdf', 'sections.docx', 'sheets.xlsx', 'slides.odp'])
        expect(await cut(name), name).to.equal('COULD_NOT_READ_MEDIA');
      expect((await refusal(docx('<w:p><w:r></w:p>')))[0]).to.equal('COULD_NOT_READ_MEDIA');
      expect((await refusal('no PDF', 'application/pdf'))[0]).to.equal('COULD_NOT_READ_MEDIA');
      const nameless = docx('<w:p/>', { '[Content_Types].xml': '<Types/>' });
      expect((await refusal(nameless))[1]).to.match(/damaged: it does not say of what kind its part \S+ is/);
    });

    it('entities of XML, which could stand for any amount of text', async () => {
      const bomb = '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><d>&b;</d>';
      const [code, message] = await refusal(docx('', { 'word/document.xml': bomb }));
      expect([code, message]).to.deep.equal([
        'COULD_NOT_READ_MEDIA',
        'The document is damaged: 1:59: undefined entity.',
      ]);
    });

    it('elements that are nested without an end', async () => {
      const deep = '<w:p>'.repeat(2000) + '</w:p>'.repeat(2000);
      expect((await refusal(docx(deep)))[1]).to.match(/nested more than 1000 deep/);
    });

    /** Each form draws the next one ten times, which gives a billion texts. */
    const growForms = (): Buffer => {
      const streams = Array.from({ length: 10 }, (_, i) => ({
        head: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 3 0 R >> /XObject << /N ${FIRST_STREAM + 1 + i} 0 R >> >>`,
        data: Buffer.from(i < 9 ? '/N Do '.repeat(10) : writeLines([1, 1, 'x'])),
      }));
      return pdfOf([{ content: '/P Do', pictures: { P: FIRST_STREAM } }], streams);
    };

    it('pages that never end, and leaves them at once when the work is stopped', async () => {
      const path = reading.path('growing.pdf');
      await writeFile(path, growForms());
      for (const load of [loadText, loadImages]) {
        const stop = new AbortController();
        const source = { path, mimeType: 'application/pdf', outputFolder: reading.path('') };
        const job = {
          ...(await jobOf(load === loadText ? 'document-text' : 'document-images')),
          signal: stop.signal,
        };
        setTimeout(() => stop.abort(new Error('stopped')), 200);
        const error = await all((await load()).generic!(source, job)).catch((e: unknown) => e);
        expect(String(error)).to.equal('Error: stopped');
      }
      const never = new AbortController().signal;
      const error = await inTime(new Promise(() => undefined), never, 10).catch((e: unknown) => e);
      expect(error).to.include({ code: 'COULD_NOT_READ_MEDIA' });
      expect(String(error)).to.match(/one of its pages takes longer than 0.01 s/);
    });

    it('archives that unpack to more than anybody wants to read', async () => {
      const path = reading.path('bomb.zip');
      await writeFile(path, zipOf({ a: Buffer.alloc(3_000_000), b: Buffer.alloc(3_000_000) }));
      expect((await stat(path)).size).to.be.lessThan(7_000);
      const bomb = await Package.open(path, 5_000_000);
      const unpack = async (part: string) => {
        for await (const _ of bomb.read(part));
      };
      await unpack('a');
      const error = await unpack('b').catch((e: unknown) => e);
      bomb.close();
      expect(error).to.include({ code: 'COULD_NOT_READ_MEDIA' });
      expect(String(error)).to.match(/unpacks to more than 5000000 bytes/);
    });

    it('texts and tags that are too long to be held', async () => {
      const long = Buffer.alloc(MAX_XML_PIECE_BYTES + 2 ** 20, 'x').fill('<a>', 0, 3);
      expect((await refusal(docx('', { 'word/document.xml': long })))[1]).to.match(
        /a text or a tag of more than/,
      );
    });

    it('a PDF that needs a password', async () => {
      const key = '00'.repeat(32);
      const encryption = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00> <00>]`;
      const file = pdfOf([{ content: writeLines([50, 700, 'secret']) }], [], encryption);
      const [code, message] = await refusal(file);
      expect(code).to.equal('COULD_NOT_READ_MEDIA');
      expect(message).to.match(/protected by a password/);
    });

    it('documents that are protected by a password', async () => {
      const wrapped = Buffer.concat([
        Buffer.from('d0cf11e0a1b11ae1', 'hex'),
        Buffer.alloc(70_000),
        Buffer.from('EncryptedPackage', 'utf16le'),
      ]);
      const manifest =
        '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>';
      const cases = {
        OOXML: wrapped,
        ODF: odf('text', '<text:p>x</text:p>', { parts: { 'META-INF/manifest.xml': manifest } }),
        ZIP: zipOf(
          { 'a.xml': '<a/>', '[Content_Types].xml': '<a/>', '_rels/.rels': '<a/>' },
          { encrypted: true },
        ),
      };
      for (const [kind, file] of Object.entries(cases)) {
        const [code, message] = await refusal(file);
        expect(code, kind).to.equal('COULD_NOT_READ_MEDIA');
        expect(message, kind).to.match(/protected by a password/);
      }
    });

    it('other kinds of files, saying what to do', async () => {
      const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(5000)]);
      for (const file of [zipOf({ 'a.txt': 'a' }), old, Buffer.from([1, 2, 3, 0, 0])]) {
        const [code, message] = await refusal(file);
        expect(code).to.equal('UNSUPPORTED_DATA_TYPE');
        expect(message).to.match(/Convert it to PDF/);
      }
      const gone = await reading.file(reading.path('gone'), 'application/pdf').catch((e: unknown) => e);
      expect(gone).to.include({ code: 'COULD_NOT_OPEN_MEDIA' });
    });

    it('to go on when the job is cancelled', async () => {
      const detector = await loadText();
      const source = { path: sample('slides.odp'), mimeType: '', outputFolder: reading.path('') };
      const job = { ...(await jobOf('document-text')), signal: AbortSignal.abort(new Error('cancelled')) };
      const error = await all(detector.generic!(source, job)).catch((e: unknown) => e);
      expect(String(error)).to.equal('Error: cancelled');
    });
  });

  describe('Components for documents', () => {
    const reading = new Reading();
    before(() => reading.open());
    after(() => reading.close());

    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 20 });
    for (const name of isLong
      ? ['text-embedded-and-images.pdf', 'sections.docx', 'sheets.xlsx', 'slides.odp']
      : ['sections.docx'])
      it(`read ${name} with damaged bytes, or say that it is damaged ${seeded}`, async () => {
        const [whole, mimeType] = [await readFile(sample(name)), await mimeTypeOf(sample(name))];
        const job = await jobOf('document-images');
        const detectors = [await loadText(), await loadImages()];
        await fc.assert(
          fc.asyncProperty(damage, async (bytes) => {
            const damaged = Buffer.from(whole);
            for (const [at, value] of bytes) damaged[at % damaged.length] = value;
            const path = reading.path('damaged');
            await writeFile(path, damaged);
            for (const detector of detectors) {
              const found = all(detector.generic!({ path, mimeType, outputFolder: reading.path('') }, job));
              const error = await found.then(
                () => undefined,
                (e: { code?: string }) => e,
              );
              if (error !== undefined)
                expect(error.code).to.be.oneOf(['COULD_NOT_READ_MEDIA', 'UNSUPPORTED_DATA_TYPE']);
            }
          }),
          runs(25),
        );
      });
  });
}
