import { sharedNetworks } from './shared-network-suite.ts';

sharedNetworks({ isLong: false });
