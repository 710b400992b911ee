/**
 * The viewer with videos of all formats, and with one whose connection breaks early. `page.test.ts` has one
 * test of each kind.
 */
import { Chromium, hasChromium } from '../../support/browser/chromium.ts';
import { Service } from '../../support/processes/service.ts';
import { videoThatBreaksOff } from '../broken-video-suite.ts';
import { boxesOnTheirFrame, SHOWN } from '../frame-truth-suite.ts';

(hasChromium ? describe : describe.skip)('The viewer of a video', function () {
  this.timeout(240_000 + SHOWN * 200);
  let service: Service;
  let chromium: Chromium;
  before(async () => {
    service = await Service.openShared();
    chromium = await Chromium.start();
  });
  after(async () => {
    await chromium?.close();
    await service.close();
  });
  const at = () => ({ service, chromium });

  describe('that breaks off', () => videoThatBreaksOff(at, { isLong: true }));
  describe('draws boxes that', () =>
    boxesOnTheirFrame(at, ['constant.mp4', 'variable.mp4', 'variable.webm', 'variable.mkv']));
});
