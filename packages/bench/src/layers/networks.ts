/** The networks whose layers can be timed alone. */
import type { ConvLayer } from '../shapes/conv-layer.ts';
import { DBNET_R18_LAYERS, DBNET_R50_LAYERS } from '../shapes/dbnet.ts';
import { MOBILENET_V3_LARGE_LAYERS } from '../shapes/mobilenet-v3.ts';
import { RESNET50_LAYERS } from '../shapes/resnet50.ts';

export const LAYER_NETWORKS = {
  resnet50: RESNET50_LAYERS,
  'mobilenet-v3': MOBILENET_V3_LARGE_LAYERS,
  dbnet: DBNET_R18_LAYERS,
  'dbnet-r50': DBNET_R50_LAYERS,
} as const satisfies Readonly<Record<string, readonly ConvLayer[]>>;

export type LayerNetwork = keyof typeof LAYER_NETWORKS;

export const LAYER_NETWORK_NAMES = Object.keys(LAYER_NETWORKS) as readonly LayerNetwork[];
