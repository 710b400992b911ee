import { expect } from 'chai';
import { keyOf, pathOf } from '../../results/file-keys.ts';

describe('A file in what is stored', () => {
  const at = { folder: '/srv/data', real: '/disk/data' };

  it('is named relative to the data folder, however a component has named it', () => {
    expect(keyOf(at, '/srv/data/media/host-7.1/1-0')).to.equal('media/host-7.1/1-0');
    expect(keyOf(at, '/disk/data/uploads/a/b.png')).to.equal('uploads/a/b.png');
    expect(keyOf(at, '/srv/data/..file')).to.equal('..file');
  });

  it('keeps its path when it lies elsewhere', () => {
    for (const path of ['/media/a.png', '/srv/data2/a.png', '/srv/a.png', '/srv/data'])
      expect(keyOf(at, path)).to.equal(path);
  });

  it('is found where the data folder is today; so is one with a path', () => {
    expect(pathOf('/elsewhere', 'media/host-7.1/1-0')).to.equal('/elsewhere/media/host-7.1/1-0');
    expect(pathOf('/elsewhere', '/media/a.png')).to.equal('/media/a.png');
  });
});
