/** Two servers of one store: cases that unit tests also cover, and variations of other tests. */
import { registerLivePipeline } from '../support/live-pipeline.ts';
import { dataUris } from './two-servers/data-uris-suite.ts';
import { frames } from './two-servers/frames-suite.ts';
import { sameAnswers } from './two-servers/same-answers-suite.ts';
import { search } from './two-servers/search-suite.ts';
import { serverPair } from './two-servers/server-pair.ts';
import { uploads } from './two-servers/uploads-suite.ts';

describe('Of two servers of one store', () => {
  const pair = serverPair({ FRAME_WAIT_MS: '20000', MAX_FRAME_REQUESTS: '64' }, { oneHere: true });
  before(() => registerLivePipeline(pair().one));

  for (const suite of [dataUris, frames, uploads, search, sameAnswers]) suite(pair, { isLong: true });
});
