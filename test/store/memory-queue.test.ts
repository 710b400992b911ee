import { MemoryQueue } from '../../store/memory-queue.ts';
import { queueContract } from './queue-contract.ts';

describe('The queue in memory', () => {
  queueContract(async () => new MemoryQueue());
});
