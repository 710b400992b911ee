import { expect } from 'chai';
import { imageTrack } from '../../../components/host/report.ts';

describe('A turned box', () => {
  it('tells its ROTATION in hundredths of a degree at most, from 0 up to 360', () => {
    const toldOf = (found: number, view: number) => {
      const box = { frame: 0, x: 1, y: 2, width: 3, height: 4, confidence: 1 };
      const detections = [{ ...box, properties: { ROTATION: String(found) } }];
      const toMedium = () => ({ x: 1, y: 2, width: 3, height: 4, rotation: view, flip: false });
      return imageTrack({ detections, confidence: 1 }, { toMedium }).properties['ROTATION'] ?? '0';
    };
    // The steps reach every tenth of a degree, and the right angles.
    for (let tenths = -3_600; tenths <= 3_600; tenths += 9)
      for (const view of [0, 90, 180, 270, 359.999, 12.3456]) {
        const told = toldOf(tenths / 10, view);
        expect(told, `${tenths / 10} in ${view}`).to.match(/^\d{1,3}(\.\d{1,2})?$/);
        const off = Math.abs(Number(told) - (tenths / 10 + view)) % 360;
        expect(Math.min(off, 360 - off)).to.be.lessThan(0.0051);
        expect(Number(told)).to.be.lessThan(360);
      }
  });
});
