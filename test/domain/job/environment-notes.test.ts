import { expect } from 'chai';
import { environmentNotes } from '../../../domain/job/environment-notes.ts';

describe('Notes on properties of the environment', () => {
  it('name values for which every job would be refused', () => {
    const [note, ...more] = environmentNotes({ DETECTION_PADDING_X: 'wide', TRIGGER: 'CLASS=car' }, []);
    expect(more).to.deep.equal([]);
    expect(note).to.match(
      /^TROUPE_PROP_DETECTION_PADDING_X: The .* was set to "wide", but .* are refused\.$/,
    );
  });
});
