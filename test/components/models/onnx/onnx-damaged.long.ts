import { damagedModels } from './onnx-damaged-suite.ts';

damagedModels({ read: 1_000, used: 40 });
