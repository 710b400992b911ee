import { expect } from 'chai';
import { censoredProperty, censorProperties, maskUri } from '../../../domain/job/censor.ts';

describe('A URI in a document', () => {
  it('keeps what is no secret', () => {
    for (const uri of [
      'file:///media/a@b.mp4',
      'http://host:8080/a@b.png?x=1#y',
      'http://[::1]:80/a@b',
      'rtsp://camera/live?channel=1',
      's3:bucket/user:a@b',
      'http://host:8080/@user/a.mp4',
      'rtsp://camera:554/live',
    ])
      expect(maskUri(uri)).to.equal(uri);
    expect(maskUri('https://user:pass@host:80/a.png?v=1&X-Amz-Signature=1')).to.equal(
      'https://***@host:80/a.png?v=1&X-Amz-Signature=***',
    );
    expect(maskUri('rtsp://user@camera:554/a@b')).to.equal('rtsp://***@camera:554/a@b');
  });

  it('shows no part of a password, encoded or not, nor one in the query, as cameras accept it', () => {
    for (const password of [
      'hunter2',
      'a/hunter2',
      'a?hunter2',
      'a#hunter2',
      'a@hunter2',
      'a@b/hunter2',
      '1:2/hunter2',
    ])
      expect(maskUri(`rtsp://user:${password}@camera/live`)).to.equal('rtsp://***@camera/live');
    for (const password of ['1234/hunter2', '1234?hunter2', '99999/hunter2', '/hunter2'])
      expect(maskUri(`rtsp://user:${password}@camera/live`)).to.equal('rtsp://***@camera/live');
    for (const host of ['10.0.0.5/live', '[fe80::1]/live', 'camera:8554/live'])
      expect(maskUri(`http://user:1234/hunter2@${host}`)).to.equal(`http://***@${host}`);
    expect(maskUri('http://user:123456/hunter2@camera/live')).to.equal('http://***@camera/live');
    expect(maskUri('http://camera/video?user=eve&pwd=hunter2&channel=1')).to.equal(
      'http://camera/video?user=eve&pwd=***&channel=1',
    );
  });

  it('has no password where a property is an address, with a scheme or without', () => {
    const censoredValue = (TRITON_SERVER: string) => censorProperties({ TRITON_SERVER })['TRITON_SERVER'];
    expect(censoredValue('models:8000')).to.equal('models:8000');
    expect(censoredValue('eve:hunter2@models:8000')).to.equal('***@models:8000');
    expect(censoredValue('https://eve:hunter2@models/v2')).to.equal('https://***@models/v2');
    const action = (value: string) => ({
      ...{ name: 'A', description: '', algorithm: 'KSERVE' },
      properties: [{ name: 'TRITON_SERVER', value }],
    });
    expect(censoredProperty(action('***@models:8000'))).to.equal('TRITON_SERVER');
    expect(censoredProperty(action('models:8000'))).to.equal(undefined);
  });
});
