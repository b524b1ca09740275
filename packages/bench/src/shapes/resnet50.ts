/** Distinct convolutions of ResNet-50 at 224 x 224, in the order they first run. https://arxiv.org/abs/1512.03385 */
import type { ConvLayer } from './conv-layer.ts';

export const RESNET50_LAYERS: readonly ConvLayer[] = [
  { name: 'conv1', ic: 3, size: 224, oc: 64, kernel: 7, stride: 2, count: 1 },
  { name: 'layer1.0.conv1', ic: 64, size: 56, oc: 64, kernel: 1, stride: 1, count: 1 },
  { name: 'layer1.0.conv2', ic: 64, size: 56, oc: 64, kernel: 3, stride: 1, count: 3 },
  { name: 'layer1.0.conv3', ic: 64, size: 56, oc: 256, kernel: 1, stride: 1, count: 4 },
  { name: 'layer1.1.conv1', ic: 256, size: 56, oc: 64, kernel: 1, stride: 1, count: 2 },
  { name: 'layer2.0.conv1', ic: 256, size: 56, oc: 128, kernel: 1, stride: 1, count: 1 },
  { name: 'layer2.0.conv2', ic: 128, size: 56, oc: 128, kernel: 3, stride: 2, count: 1 },
  { name: 'layer2.0.conv3', ic: 128, size: 28, oc: 512, kernel: 1, stride: 1, count: 4 },
  { name: 'layer2.0.downsample.0', ic: 256, size: 56, oc: 512, kernel: 1, stride: 2, count: 1 },
  { name: 'layer2.1.conv1', ic: 512, size: 28, oc: 128, kernel: 1, stride: 1, count: 3 },
  { name: 'layer2.1.conv2', ic: 128, size: 28, oc: 128, kernel: 3, stride: 1, count: 3 },
  { name: 'layer3.0.conv1', ic: 512, size: 28, oc: 256, kernel: 1, stride: 1, count: 1 },
  { name: 'layer3.0.conv2', ic: 256, size: 28, oc: 256, kernel: 3, stride: 2, count: 1 },
  { name: 'layer3.0.conv3', ic: 256, size: 14, oc: 1024, kernel: 1, stride: 1, count: 6 },
  { name: 'layer3.0.downsample.0', ic: 512, size: 28, oc: 1024, kernel: 1, stride: 2, count: 1 },
  { name: 'layer3.1.conv1', ic: 1024, size: 14, oc: 256, kernel: 1, stride: 1, count: 5 },
  { name: 'layer3.1.conv2', ic: 256, size: 14, oc: 256, kernel: 3, stride: 1, count: 5 },
  { name: 'layer4.0.conv1', ic: 1024, size: 14, oc: 512, kernel: 1, stride: 1, count: 1 },
  { name: 'layer4.0.conv2', ic: 512, size: 14, oc: 512, kernel: 3, stride: 2, count: 1 },
  { name: 'layer4.0.conv3', ic: 512, size: 7, oc: 2048, kernel: 1, stride: 1, count: 3 },
  { name: 'layer4.0.downsample.0', ic: 1024, size: 14, oc: 2048, kernel: 1, stride: 2, count: 1 },
  { name: 'layer4.1.conv1', ic: 2048, size: 7, oc: 512, kernel: 1, stride: 1, count: 2 },
  { name: 'layer4.1.conv2', ic: 512, size: 7, oc: 512, kernel: 3, stride: 1, count: 2 },
];
