/**
 * Sends pictures and videos to a network on a model server that speaks KServe v2 (Triton, OpenVINO Model Server,
 * KServe).
 */
import type { LoadDetector } from '../../sdk/detector.ts';
import { NetworkDetector } from '../onnx/network-detector.ts';
import { ServedModels } from './served-models.ts';

const loadKserve: LoadDetector = (host) => Promise.resolve(new NetworkDetector(new ServedModels(host)));

export default loadKserve;
