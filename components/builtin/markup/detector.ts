/** The component that draws what was found into copies of images and videos. */
import type { LoadMarkup } from '../../sdk/detector.ts';
import { resultStoreOf } from '../media/finish/keep-results.ts';
import { markUp } from './markup.ts';

const load: LoadMarkup = () =>
  Promise.resolve({
    markup: (work, given) => {
      const { context, store } = resultStoreOf(work, given);
      return markUp(work, context, store);
    },
  });

export default load;
