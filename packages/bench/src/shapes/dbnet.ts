/**
 * Distinct convolutions of DBNet text detection at 512 x 512 on two backbones, the two transposed ones of its head
 * included, in the order they first run. https://arxiv.org/abs/1911.08947
 */
import type { ConvLayer } from './conv-layer.ts';

/** Two doublings of the map: kernel 2, stride 2. */
const HEAD: readonly ConvLayer[] = [
  { name: 'head.1', ic: 64, size: 128, oc: 64, kernel: 2, stride: 2, count: 1, transposed: true },
  { name: 'head.4', ic: 64, size: 256, oc: 1, kernel: 2, stride: 2, count: 1, transposed: true },
];

export const DBNET_R18_LAYERS: readonly ConvLayer[] = [
  { name: 'stem.0', ic: 3, size: 512, oc: 64, kernel: 7, stride: 2, count: 1 },
  { name: 'l.0.0.conv1', ic: 64, size: 128, oc: 64, kernel: 3, stride: 1, count: 4 },
  { name: 'l.1.0.conv1', ic: 64, size: 128, oc: 128, kernel: 3, stride: 2, count: 1 },
  { name: 'l.1.0.conv2', ic: 128, size: 64, oc: 128, kernel: 3, stride: 1, count: 3 },
  { name: 'l.1.0.downsample.0', ic: 64, size: 128, oc: 128, kernel: 1, stride: 2, count: 1 },
  { name: 'l.2.0.conv1', ic: 128, size: 64, oc: 256, kernel: 3, stride: 2, count: 1 },
  { name: 'l.2.0.conv2', ic: 256, size: 32, oc: 256, kernel: 3, stride: 1, count: 3 },
  { name: 'l.2.0.downsample.0', ic: 128, size: 64, oc: 256, kernel: 1, stride: 2, count: 1 },
  { name: 'l.3.0.conv1', ic: 256, size: 32, oc: 512, kernel: 3, stride: 2, count: 1 },
  { name: 'l.3.0.conv2', ic: 512, size: 16, oc: 512, kernel: 3, stride: 1, count: 3 },
  { name: 'l.3.0.downsample.0', ic: 256, size: 32, oc: 512, kernel: 1, stride: 2, count: 1 },
  { name: 'inn.0', ic: 64, size: 128, oc: 256, kernel: 1, stride: 1, count: 1 },
  { name: 'inn.1', ic: 128, size: 64, oc: 256, kernel: 1, stride: 1, count: 1 },
  { name: 'inn.2', ic: 256, size: 32, oc: 256, kernel: 1, stride: 1, count: 1 },
  { name: 'inn.3', ic: 512, size: 16, oc: 256, kernel: 1, stride: 1, count: 1 },
  { name: 'out.3', ic: 256, size: 16, oc: 64, kernel: 3, stride: 1, count: 1 },
  { name: 'out.2', ic: 256, size: 32, oc: 64, kernel: 3, stride: 1, count: 1 },
  { name: 'out.1', ic: 256, size: 64, oc: 64, kernel: 3, stride: 1, count: 1 },
  { name: 'out.0', ic: 256, size: 128, oc: 64, kernel: 3, stride: 1, count: 2 },
  ...HEAD,
];

export const DBNET_R50_LAYERS: readonly ConvLayer[] = [
  { name: 'stem.0', ic: 3, size: 512, oc: 64, kernel: 7, stride: 2, count: 1 },
  { name: 'l.0.0.conv1', ic: 64, size: 128, oc: 64, kernel: 1, stride: 1, count: 1 },
  { name: 'l.0.0.conv2', ic: 64, size: 128, oc: 64, kernel: 3, stride: 1, count: 3 },
  { name: 'l.0.0.conv3', ic: 64, size: 128, oc: 256, kernel: 1, stride: 1, count: 4 },
  { name: 'l.0.1.conv1', ic: 256, size: 128, oc: 64, kernel: 1, stride: 1, count: 2 },
  { name: 'l.1.0.conv1', ic: 256, size: 128, oc: 128, kernel: 1, stride: 1, count: 1 },
  { name: 'l.1.0.conv2', ic: 128, size: 128, oc: 128, kernel: 3, stride: 2, count: 1 },
  { name: 'l.1.0.conv3', ic: 128, size: 64, oc: 512, kernel: 1, stride: 1, count: 4 },
  { name: 'l.1.0.downsample.0', ic: 256, size: 128, oc: 512, kernel: 1, stride: 2, count: 1 },
  { name: 'l.1.1.conv1', ic: 512, size: 64, oc: 128, kernel: 1, stride: 1, count: 3 },
  { name: 'l.1.1.conv2', ic: 128, size: 64, oc: 128, kernel: 3, stride: 1, count: 3 },
  { name: 'l.2.0.conv1', ic: 512, size: 64, oc: 256, kernel: 1, stride: 1, count: 2 },
  { name: 'l.2.0.conv2', ic: 256, size: 64, oc: 256, kernel: 3, stride: 2, count: 1 },
  { name: 'l.2.0.conv3', ic: 256, size: 32, oc: 1024, kernel: 1, stride: 1, count: 6 },
  { name: 'l.2.0.downsample.0', ic: 512, size: 64, oc: 1024, kernel: 1, stride: 2, count: 1 },
  { name: 'l.2.1.conv1', ic: 1024, size: 32, oc: 256, kernel: 1, stride: 1, count: 6 },
  { name: 'l.2.1.conv2', ic: 256, size: 32, oc: 256, kernel: 3, stride: 1, count: 5 },
  { name: 'l.3.0.conv1', ic: 1024, size: 32, oc: 512, kernel: 1, stride: 1, count: 1 },
  { name: 'l.3.0.conv2', ic: 512, size: 32, oc: 512, kernel: 3, stride: 2, count: 1 },
  { name: 'l.3.0.conv3', ic: 512, size: 16, oc: 2048, kernel: 1, stride: 1, count: 3 },
  { name: 'l.3.0.downsample.0', ic: 1024, size: 32, oc: 2048, kernel: 1, stride: 2, count: 1 },
  { name: 'l.3.1.conv1', ic: 2048, size: 16, oc: 512, kernel: 1, stride: 1, count: 2 },
  { name: 'l.3.1.conv2', ic: 512, size: 16, oc: 512, kernel: 3, stride: 1, count: 2 },
  { name: 'inn.0', ic: 256, size: 128, oc: 256, kernel: 1, stride: 1, count: 1 },
  { name: 'inn.3', ic: 2048, size: 16, oc: 256, kernel: 1, stride: 1, count: 1 },
  { name: 'out.3', ic: 256, size: 16, oc: 64, kernel: 3, stride: 1, count: 1 },
  { name: 'out.2', ic: 256, size: 32, oc: 64, kernel: 3, stride: 1, count: 1 },
  { name: 'out.1', ic: 256, size: 64, oc: 64, kernel: 3, stride: 1, count: 1 },
  { name: 'out.0', ic: 256, size: 128, oc: 64, kernel: 3, stride: 1, count: 2 },
  ...HEAD,
];
