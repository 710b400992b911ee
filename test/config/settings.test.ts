/** The settings of the server: what is refused at the start, with a sentence. */
import { expect } from 'chai';
import { readSettings } from '../../config/settings.ts';

describe('The settings', () => {
  for (const name of [
    'COMPONENT_START_MS',
    'CLEANING_MS',
    'EVENTS_HEARTBEAT_MS',
    'EVENTS_POLL_MS',
    'SERVICE_STOP_MS',
    'HEARTBEAT_MS',
    'DELIVERY_TIMEOUT_MS',
    'MEDIUM_FETCH_MS',
    'UPLOAD_PACE_MS',
  ])
    it(`take no ${name} that a timer cannot wait for: it would fire at once`, () => {
      expect(readSettings({ [name]: String(2 ** 31 - 1) })).to.include({ [name]: 2 ** 31 - 1 });
      expect(() => readSettings({ [name]: String(2 ** 31) })).to.throw(`${name}: `);
    });

  for (const wrong of ['ftp://media.example', 'mailto:me', 'https://u:p@h', 'https://h/?a=b', 'https://h/#x'])
    it(`take no BASE_URL like ${wrong}`, () => {
      expect(() => readSettings({ BASE_URL: wrong })).to.throw(/BASE_URL: must/);
    });

  it('say what a host of job ids may have', () => {
    for (const JOB_ID_HOST of ['a b', '-a', '.a', 'ä', 'a'.repeat(65)])
      expect(() => readSettings({ JOB_ID_HOST }), JOB_ID_HOST).to.throw(
        'JOB_ID_HOST: must have 1 to 64 letters',
      );
    expect(readSettings({ JOB_ID_HOST: '_a.b-C9' })).to.include({ JOB_ID_HOST: '_a.b-C9' });
  });

  it('take a BASE_URL with a path', () => {
    expect(readSettings({ BASE_URL: 'https://h/troupe/' }).BASE_URL).to.equal('https://h/troupe/');
  });
});
