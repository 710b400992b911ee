/** The component that draws detections into copies of images and videos. */
import type { LoadMarkup } from '../../sdk/detector.ts';
import { markUp } from './markup.ts';

const load: LoadMarkup = () =>
  Promise.resolve({
    markup: markUp,
  });

export default load;
