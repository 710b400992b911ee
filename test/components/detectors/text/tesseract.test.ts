import { createRequire } from 'node:module';
import { expect } from 'chai';
import sharp from 'sharp';
import load from '../../../../components/detectors/text/detector.ts';
import type { Detector, Frame } from '../../../../components/sdk/detector.ts';
import { all, jobOf, NO_MODELS } from '../../visual.ts';

const isInstalled = (name: string): boolean => {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`) !== '';
  } catch {
    return false;
  }
};
const HAS_GERMAN = ['tesseract.js', '@tesseract.js-data/deu'].every(isInstalled);

describe('The TEXT component with Tesseract', () => {
  let detector: Detector;
  before(async () => {
    detector = await load(NO_MODELS);
  });
  after(() => detector.close!());

  async function read(frame: Frame, properties: Readonly<Record<string, string>>) {
    return all(detector.image!(frame, await jobOf('text', properties)));
  }
  async function refusal(properties: Readonly<Record<string, string>>) {
    const outcome = await read(await pictureOf('Text'), properties).catch((error: unknown) => error);
    if (outcome instanceof Error && 'code' in outcome) return outcome as Error & { code: string };
    throw new Error(`${JSON.stringify(properties)} was not refused.`);
  }

  it('refuses names that are no languages, and two readers at once', async () => {
    for (const TESSERACT_LANGUAGE of ['../deu', 'deu+', 'a+b+c+d+e+f', '7zz']) {
      const { code, message } = await refusal({ TESSERACT_LANGUAGE });
      expect([code, message]).to.deep.equal([
        'INVALID_PROPERTY',
        `The TESSERACT_LANGUAGE property is "${TESSERACT_LANGUAGE}"; it must be at most 5 names of languages as Tesseract has them, with + between them, such as ara or deu+eng.`,
      ]);
    }
    const both = await refusal({ TESSERACT_LANGUAGE: 'deu', RECOGNITION_MODEL: 'arabic' });
    expect(both.message).to.contain('both set');
  });

  it('says which packages to install when they are missing', async () => {
    const { code, message } = await refusal({ TESSERACT_LANGUAGE: 'xyz' });
    expect(code).to.equal('INVALID_PROPERTY');
    expect(message).to.contain('npm install --no-save --ignore-scripts');
    expect(message).to.contain('@tesseract.js-data/xyz');
  });

  it('reads letters that the built-in network does not know', async function () {
    // The language packages are an optional add-on of 60 MB.
    if (!HAS_GERMAN) return this.skip();
    const frame = await pictureOf('Fußgängerübergänge schließen');
    const [track] = await read(frame, { TESSERACT_LANGUAGE: 'deu' });
    expect(track!.properties!['TEXT']).to.equal('Fußgängerübergänge schließen');
    expect(track!.confidence).to.be.within(0.7, 1);
  });
});

async function pictureOf(text: string): Promise<Frame> {
  const letters = `<text x="20" y="60" font-family="DejaVu Sans" font-size="32">${text}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="100"><rect width="640" height="100" fill="white"/>${letters}</svg>`;
  const { data, info } = await sharp(Buffer.from(svg))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { index: 0, time: 0, width: info.width, height: info.height, data, warmUp: false };
}
