/** The process of a test node: the real node with additional test components and a log file of JSON lines. */
import { readNodeSettings } from '../../../config/node.ts';
import { BUILT_IN } from '../../../config/places.ts';
import type { Tuning } from '../../../config/tuning.ts';
import { startNode } from '../../../node/start-node.ts';
import { lineLogger } from '../line-logger.ts';
import { TEST_COMPONENTS } from './test-components.ts';

const [logFile = '', tuning = '{}', nodeClass = ''] = process.argv.slice(2);
const logger = lineLogger(logFile);

process.on('disconnect', () => process.exit(1));
try {
  const componentFolders = [BUILT_IN, TEST_COMPONENTS];
  const settings = { ...readNodeSettings(undefined), ...(JSON.parse(tuning) as Partial<Tuning>) };
  const options = { logger, componentFolders, ...(nodeClass === '' ? {} : { nodeClass }) };
  const node = startNode(settings, options);
  const stop = () => void node.stop().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.on('SIGUSR2', () => setTimeout(stop, node.drain()));
  void node.drained.then(stop);
  node.ended.catch(async (error: unknown) => {
    logger.error({}, `refused: ${(error as Error).message}`);
    await node.stop();
    process.exit(2);
  });
} catch (error) {
  logger.error({}, `refused: ${(error as Error).message}`);
  process.exit(2);
}
