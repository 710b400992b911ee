/** Built-in pipelines in which one task processes the results of another. */
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import {
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
  type DocumentMedium,
  type DocumentOutput,
  type DocumentTrack,
} from '../../support/processes/service.ts';
import { actionsIn, pictureAt, uriOf } from '../results.ts';

/** `isLong`: includes pipelines whose steps others already cover. */
export function builtInPipelines({ isLong }: { readonly isLong: boolean }): void {
  describe('Pipelines that lead from one component to the next', () => {
    let service: Service;
    before(async () => {
      service = await Service.openShared();
      await sharp({ create: { width: 96, height: 96, channels: 3, background: '#888' } }).toFile(
        join(service.mediaDir, 'grey.png'),
      );
    });
    after(() => service.close());

    const run = async (pipelineName: string, ...media: string[]): Promise<DetectionDocument> => {
      const document = await service.run({ media, pipelineName });
      expect(document.status, JSON.stringify(document.errors)).to.equal('COMPLETE');
      return document;
    };
    const entryOf = ({ output }: DocumentMedium, key: string) =>
      output[key]![0] as DocumentOutput & { readonly annotators?: readonly string[] };
    const isInside = (inner: DocumentTrack, outer: DocumentTrack): boolean => {
      const [{ x, y, width, height }, frame] = [inner.exemplar, outer.exemplar];
      const [left, top] = [x + width / 2 - frame.x, y + height / 2 - frame.y];
      return left > 0 && left < frame.width && top > 0 && top < frame.height;
    };

    it('tell the language of the text that was found in a picture', async () => {
      const { media } = await run(
        'TEXT THEN LANGUAGE DETECTION PIPELINE',
        sampleUri('hello-world.png'),
        uriOf(service, 'grey.png'),
      );
      const [medium, nothing] = media;
      const entry = entryOf(medium!, 'TEXT');
      expect(entry.source).to.equal('TEXT DETECTION ACTION');
      expect(entry.annotators).to.have.length(1);
      expect(entry.annotators![0]).to.match(/^LANGUAGE DETECTION/);
      const tracks = tracksOf(medium, 'TEXT');
      expect(tracks.length).to.be.at.least(1);
      for (const { trackProperties } of tracks)
        expect(trackProperties, trackProperties['TEXT']).to.have.property('ISO_LANGUAGE');
      expect(Object.keys(medium!.output), 'an annotator has no entry of its own').to.deep.equal(['TEXT']);
      expect(actionsIn(nothing!), 'where there is no text').to.deep.equal({
        'NO TRACKS': ['TEXT DETECTION ACTION'],
      });
    });

    if (isLong)
      it('read documents, tell the language of their text and tag it', async () => {
        const { media } = await run(
          'DOCUMENT TEXT THEN LANGUAGE AND KEYWORDS PIPELINE',
          sampleUri('sections.docx'),
        );
        const entry = entryOf(media[0]!, 'TEXT');
        expect(entry.annotators!.map((name) => name.split(' ')[0])).to.deep.equal(['LANGUAGE', 'KEYWORD']);
        const tracks = entry.tracks!;
        expect(tracks.length).to.be.at.least(2);
        for (const { trackProperties } of tracks) expect(trackProperties).to.include.keys('TEXT', 'TAGS');
        const told = tracks.flatMap(({ trackProperties }) => trackProperties['ISO_LANGUAGE'] ?? []);
        expect(told.length, 'sections whose language is known').to.be.at.least(1);
      });

    if (isLong)
      it('look for faces in the regions of persons alone, and cut each out of the whole picture', async () => {
        const { media } = await run(
          'PERSON THEN FACE DETECTION PIPELINE',
          ...['race.jpg', 'chelsea.png'].map(sampleUri),
        );
        const [race, cat] = media;
        const [persons, faces] = [tracksOf(race, 'CLASS'), tracksOf(race, 'FACE')];
        expect(faces.length).to.be.at.least(3);
        for (const face of faces) {
          expect(persons.some((person) => isInside(face, person))).to.equal(true);
          const { width, height } = await pictureAt(face.exemplar.artifactPath);
          expect([width, height]).to.deep.equal([face.exemplar.width, face.exemplar.height]);
        }
        expect(actionsIn(cat!)).to.deep.equal({
          'NO TRACKS': ['PERSON DETECTION ACTION', 'FACE DETECTION IN REGIONS ACTION'],
        });
      });

    if (isLong)
      it('track persons and draw them', async () => {
        const { media } = await run(
          'PERSON DETECTION WITH TRACKING AND MARKUP PIPELINE',
          ...['race.jpg', 'coffee.png'].map(sampleUri),
        );
        expect(tracksOf(media[0], 'CLASS').length).to.be.at.least(5);
        expect(media.map(({ markupResult }) => markupResult?.status)).to.deep.equal(['COMPLETE', 'COMPLETE']);
      });
  });
}
