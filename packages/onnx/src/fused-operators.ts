/** Names of the operators that fusions for hardware adapters make, domain `onegpu`. */
export const CONV_TRANSPOSE_PAIR = 'ConvTransposePair';
export const EXPAND_DEPTHWISE = 'ExpandDepthwise';
export const GATED_CONV = 'GatedConv';
export const MAP_EXCITE = 'MapExcite';
export const MERGE_MAPS = 'MergeMaps';
export const PLANAR_CONV = 'PlanarConv';
export const SHORTCUT_CONV = 'ShortcutConv';
export const SQUEEZE_EXCITE = 'SqueezeExcite';
export const UPSAMPLE_SUM_CONV = 'UpsampleSumConv';
