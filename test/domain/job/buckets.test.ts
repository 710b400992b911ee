import { expect } from 'chai';
import {
  archivedObject,
  copySource,
  hashInKey,
  mediaBucket,
  objectKey,
  objectUri,
  refusedBucketProperties,
  resultsBucket,
} from '../../../domain/job/buckets.ts';

const KEYS = { S3_ACCESS_KEY: 'key', S3_SECRET_KEY: 'secret' };
const VIRTUAL = { ...KEYS, S3_USE_VIRTUAL_HOST: 'TRUE', S3_HOST: 'store.example' };
const opened = { region: 'us-east-1', accessKey: 'key', secretKey: 'secret' };
const results = (bucket: string, more: object = KEYS) =>
  resultsBucket({ S3_RESULTS_BUCKET: bucket, ...more });

describe('Bucket properties', () => {
  it('are refused when the keys are not complete, in the words of the service', () => {
    const cases: readonly (readonly [Readonly<Record<string, string>>, string | null])[] = [
      [{}, null],
      [KEYS, null],
      [{ S3_ACCESS_KEY: 'a' }, 'The S3_ACCESS_KEY property was set, but the S3_SECRET_KEY property was not.'],
      [{ S3_SECRET_KEY: 's' }, 'The S3_SECRET_KEY property was set, but the S3_ACCESS_KEY property was not.'],
      [
        { S3_ACCESS_KEY: 'a', S3_SECRET_KEY: ' ' },
        'The S3_ACCESS_KEY property was set, but the S3_SECRET_KEY property was not.',
      ],
      [{ S3_ACCESS_KEY: 'a', S3_UPLOAD_ONLY: 'true' }, null],
      [
        { S3_RESULTS_BUCKET: 'b' },
        'The S3_RESULTS_BUCKET property was set, but the S3_ACCESS_KEY and S3_SECRET_KEY properties were not.',
      ],
      [
        { S3_RESULTS_BUCKET: 'b', S3_ACCESS_KEY: 'a', S3_UPLOAD_ONLY: 'true' },
        'The S3_RESULTS_BUCKET and S3_ACCESS_KEY properties were set, but the S3_SECRET_KEY property was not.',
      ],
      [
        { S3_RESULTS_BUCKET: 'b', S3_SECRET_KEY: 's' },
        'The S3_RESULTS_BUCKET and S3_SECRET_KEY properties were set, but the S3_ACCESS_KEY property was not.',
      ],
      [{ S3_RESULTS_BUCKET: 'b', ...KEYS }, null],
    ];
    for (const [properties, sentence] of cases)
      expect(refusedBucketProperties(properties), JSON.stringify(properties)).to.equal(sentence);
  });

  it('are refused when the results bucket is no bucket, without showing what was written', () => {
    const refused = {
      's3://bucket/key': /neither the name of a bucket nor an address/,
      'two words': /neither the name of a bucket/,
      'https://host': /names no bucket/,
      'https://host/': /names no bucket/,
      'https://host/bucket/folder': /S3_UPLOAD_OBJECT_KEY_PREFIX/,
      'https://me:word@host/bucket': /more than the address/,
      'https://host/bucket?x=word': /more than the address/,
    };
    for (const [bucket, sentence] of Object.entries(refused)) {
      const properties = { S3_RESULTS_BUCKET: bucket, ...KEYS };
      expect(refusedBucketProperties(properties), bucket).to.match(sentence).and.not.to.include('word@');
      expect(() => resultsBucket(properties), bucket).to.throw(sentence);
    }
    for (const prefix of ['../', 'a/./b', '..']) {
      const properties = { S3_RESULTS_BUCKET: 'b', ...KEYS, S3_UPLOAD_OBJECT_KEY_PREFIX: prefix };
      expect(refusedBucketProperties(properties), prefix).to.match(/S3_UPLOAD_OBJECT_KEY_PREFIX property/);
    }
    const elsewhere = { S3_RESULTS_BUCKET: 'https://bucket.other.example', ...VIRTUAL };
    expect(refusedBucketProperties(elsewhere)).to.match(/in front of the host "store.example"/);
    const host = { S3_RESULTS_BUCKET: 'bucket', ...KEYS, S3_HOST: 'no host' };
    expect(refusedBucketProperties(host)).to.match(/S3_HOST property is not the name of a host/);
  });
});

describe('The results bucket', () => {
  it('is the first part of the path, or its name alone at S3_HOST', () => {
    expect(resultsBucket(KEYS)).to.equal(null);
    expect(results('http://host:9000/bucket/')).to.deep.equal({
      url: 'http://host:9000/bucket',
      name: 'bucket',
      prefix: '',
      ...opened,
    });
    expect(results(' bucket ')).to.include({ url: 'https://s3.amazonaws.com/bucket', name: 'bucket' });
    expect(results('bucket', { ...KEYS, S3_HOST: 'http://store:9000' })).to.include({
      url: 'http://store:9000/bucket',
    });
  });

  it('is the beginning of the host with S3_USE_VIRTUAL_HOST', () => {
    for (const bucket of ['https://my.bucket.store.example/', 'https://my.bucket.store.example', 'my.bucket'])
      expect(results(bucket, VIRTUAL), bucket).to.include({
        url: 'https://my.bucket.store.example',
        name: 'my.bucket',
      });
    expect(results('http://bucket.store.example:9000', VIRTUAL)).to.include({
      url: 'http://bucket.store.example:9000',
      name: 'bucket',
    });
  });

  it('is opened with region, token and prefix as they are given', () => {
    const more = { ...KEYS, S3_REGION: 'eu-central-1', S3_SESSION_TOKEN: 'token' };
    expect(results('b', { ...more, S3_UPLOAD_OBJECT_KEY_PREFIX: 'a/b-' })).to.include({
      region: 'eu-central-1',
      sessionToken: 'token',
      prefix: 'a/b-',
    });
  });

  it('keeps an object under the hash of its content', () => {
    expect(objectKey('', 'abcdef')).to.equal('ab/cd/abcdef');
    expect(objectKey('pre/x-', 'abcdef')).to.equal('pre/x-ab/cd/abcdef');
    const bucket = { url: 'https://host/bucket', name: 'bucket', ...opened };
    expect(objectUri(bucket, 'a b/ü/ab')).to.equal('https://host/bucket/a%20b/%C3%BC/ab');
  });
});

describe('A medium in a bucket', () => {
  it('is named by its address when both keys are given', () => {
    expect(mediaBucket('https://host:9000/bucket/a%20b/%C3%BC+1.mp4', KEYS)).to.deep.equal({
      bucket: { url: 'https://host:9000/bucket', name: 'bucket', ...opened },
      key: 'a b/ü+1.mp4',
    });
    expect(mediaBucket('HTTP://host/bucket/key?versionId=7#x', KEYS)).to.include({
      key: 'key',
      versionId: '7',
    });
    expect(mediaBucket('https://host/bucket/broken%zz', KEYS)).to.include({ key: 'broken%zz' });
  });

  it('has the name of the bucket in the host with S3_USE_VIRTUAL_HOST', () => {
    expect(mediaBucket('https://bucket.store.example/a/b', VIRTUAL)).to.deep.equal({
      bucket: { url: 'https://bucket.store.example', name: 'bucket', ...opened },
      key: 'a/b',
    });
    expect(mediaBucket('https://elsewhere.example/a/b', VIRTUAL)).to.equal(null);
    expect(mediaBucket('https://store.example/a/b', VIRTUAL)).to.equal(null);
  });

  it('is none without both keys, with S3_UPLOAD_ONLY, other schemes, or a signed address', () => {
    const uri = 'https://host/bucket/key';
    expect(mediaBucket(uri, {})).to.equal(null);
    expect(mediaBucket(uri, { S3_ACCESS_KEY: 'key' })).to.equal(null);
    expect(mediaBucket(uri, { ...KEYS, S3_UPLOAD_ONLY: 'True' })).to.equal(null);
    for (const other of [
      'file:///bucket/key',
      'data:,x',
      'https://host/',
      'https://host/bucket',
      'https://host/bucket/',
    ])
      expect(mediaBucket(other, KEYS), other).to.equal(null);
    expect(mediaBucket(`${uri}?X-Amz-Signature=1`, KEYS)).to.equal(null);
  });
});

describe('A result of an archived job', () => {
  const SOURCE = { ARCHIVE_COPY_SRC_S3_ACCESS_KEY: 'old', ARCHIVE_COPY_SRC_S3_SECRET_KEY: 'older' };

  it('is opened with ARCHIVE_COPY_SRC_*, each of which falls back to the plain property', () => {
    const uri = 'https://host/bucket/key';
    const opens = (properties: Readonly<Record<string, string>>) => archivedObject(uri, properties)?.bucket;
    expect(opens(KEYS)).to.include({ accessKey: 'key', secretKey: 'secret' });
    expect(opens({ ...KEYS, ...SOURCE })).to.include({ accessKey: 'old', secretKey: 'older' });
    expect(opens({ ...KEYS, ARCHIVE_COPY_SRC_S3_SECRET_KEY: ' ' })).to.include({ secretKey: 'secret' });
    expect(opens({ ...KEYS, S3_REGION: 'here', ARCHIVE_COPY_SRC_S3_REGION: 'there' })).to.include({
      region: 'there',
    });
    expect(
      archivedObject('https://bucket.old.example/key', {
        ...VIRTUAL,
        ARCHIVE_COPY_SRC_S3_HOST: 'old.example',
      }),
    ).to.include({
      key: 'key',
    });
    expect(opens({ ...KEYS, S3_UPLOAD_ONLY: 'TRUE' }), 'that is about media').to.include({
      accessKey: 'key',
    });
    expect(opens({})).to.equal(undefined);
  });

  it('is opened with the plain session token along with the plain key alone', () => {
    const plain = { ...KEYS, S3_SESSION_TOKEN: 'token' };
    expect(copySource(plain)).to.include({ S3_SESSION_TOKEN: 'token' });
    expect(copySource({ ...plain, ...SOURCE })).to.include({ S3_SESSION_TOKEN: '' });
    expect(copySource({ ...plain, ...SOURCE, ARCHIVE_COPY_SRC_S3_SESSION_TOKEN: 'his' })).to.include({
      S3_SESSION_TOKEN: 'his',
    });
  });

  it('is in no bucket when its address holds a password or a signature', () => {
    expect(archivedObject('https://user:word@host/bucket/key', KEYS)).to.equal(null);
    expect(archivedObject('https://host/bucket/key?X-Amz-Signature=1', KEYS)).to.equal(null);
    expect(archivedObject('file:///bucket/key', KEYS)).to.equal(null);
  });

  it('is known by its key when that is made of the content, after the prefix', () => {
    const hash = 'ab12'.repeat(16);
    const prefixed = {
      S3_UPLOAD_OBJECT_KEY_PREFIX: 'new/',
      ARCHIVE_COPY_SRC_S3_UPLOAD_OBJECT_KEY_PREFIX: 'old/',
    };
    expect(hashInKey(`ab/12/${hash}`, {})).to.equal(hash);
    expect(hashInKey(`old/ab/12/${hash}`, prefixed)).to.equal(hash);
    for (const other of [`ab/13/${hash}`, `x/ab/12/${hash}`, hash, `ab/12/${hash}0`, 'picture.png'])
      expect(hashInKey(other, {}), other).to.equal(null);
    expect(hashInKey(`ab/12/${hash}`, prefixed)).to.equal(null);
  });
});
