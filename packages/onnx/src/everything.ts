/** All that `@onegpu/onnx/full` adds to the entry for browsers. One line a family. */
// biome-ignore-all assist/source/organizeImports: alike operators stand together, as in `ops/registry.ts`.
import { makeMapProblem, selectMap } from '@onegpu/kernels';
import type { Extension } from './extension.ts';
import { operatorsByName } from './ops/registry.ts';
import { fuseLaunches } from './passes/fuse-launches.ts';
import { profilePlan } from './profile.ts';
import { splitFused } from './split-fused.ts';
import { SessionTuning } from './tuning/session-tuning.ts';
import { tuneModel } from './tuning/tune-model.ts';

// Along an axis
import { MAX_UNPOOL_OPERATORS } from './ops/max-unpool.ts';
import { LRN_OPERATORS } from './ops/lrn.ts';

// Bytes and their products
import { QUANTIZE_OPERATORS } from './ops/quantize.ts';
import { QLINEAR_OPERATORS } from './ops/qlinear.ts';
import { INTEGER_OPERATORS } from './ops/integer.ts';

// Convolutions
import { FULL_CONV_OPERATORS } from './ops/conv-full.ts';
import { FULL_CONV_TRANSPOSE_OPERATORS } from './ops/conv-transpose-full.ts';
import { DEFORM_CONV_OPERATORS } from './ops/deform-conv.ts';
import { EXPAND_DEPTHWISE_OPERATORS } from './ops/expand-depthwise.ts';
import { MAP_EXCITE_OPERATORS } from './ops/map-excite.ts';

// Maps as a whole
import { SQUEEZE_EXCITE_OPERATORS } from './ops/squeeze-excite.ts';
import { CONV_TRANSPOSE_PAIR_OPERATORS } from './ops/conv-transpose-pair.ts';
import { MERGE_MAPS_OPERATORS } from './ops/merge-maps.ts';
import { FULL_RESIZE_OPERATORS } from './ops/resize-full.ts';

export const EVERYTHING: Extension = {
  operators: operatorsByName([
    CONV_TRANSPOSE_PAIR_OPERATORS,
    DEFORM_CONV_OPERATORS,
    EXPAND_DEPTHWISE_OPERATORS,
    FULL_CONV_OPERATORS,
    FULL_CONV_TRANSPOSE_OPERATORS,
    FULL_RESIZE_OPERATORS,
    INTEGER_OPERATORS,
    LRN_OPERATORS,
    MAP_EXCITE_OPERATORS,
    MAX_UNPOOL_OPERATORS,
    MERGE_MAPS_OPERATORS,
    QLINEAR_OPERATORS,
    QUANTIZE_OPERATORS,
    SQUEEZE_EXCITE_OPERATORS,
  ]),
  fuseLaunches,
  splitFused,
  planMap: (request, target, options) => {
    const problem = makeMapProblem(request);
    return { problem, selection: selectMap(problem, target, options) };
  },
  tuning: (device, option, onProgress) => new SessionTuning(device, option, onProgress),
  profilePlan,
  tuneModel,
};
