/**
 * nchw [batch, channels, plane] to nhwc4 [batch, plane, channel groups] and back. A position is one vec4: a pixel of
 * one channel group, pixels fastest, so that neighbouring invocations read or write neighbouring words of a plane.
 */
import { elementwiseMain, type ItemsPerInvocation, paramsWgsl } from '../shared/elementwise.ts';

const FIELDS = ['channels: u32', 'plane: u32', 'groups: u32'];

const PLACE = `let pixel = position % params.plane;
      let group_index = position / params.plane;
      let channel = (group_index % params.groups) * 4u;
      let image = group_index / params.groups;
      let dense = (image * params.channels + channel) * params.plane + pixel;
      let packed = (image * params.plane + pixel) * params.groups + channel / 4u;`;

const LANES = ['x', 'y', 'z', 'w'];

export function packLayoutWgsl(items: ItemsPerInvocation): string {
  const loads = LANES.map(
    (lane, offset) =>
      `if (channel + ${offset}u < params.channels) { value.${lane} = src[dense + ${offset}u * params.plane]; }`,
  );
  return `@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4u>;
${paramsWgsl(2, FIELDS)}
${elementwiseMain(
  items,
  `${PLACE}
      var value = vec4u();
      ${loads.join('\n      ')}
      dst[packed] = value;`,
)}`;
}

export function unpackLayoutWgsl(items: ItemsPerInvocation): string {
  const stores = LANES.map(
    (lane, offset) =>
      `if (channel + ${offset}u < params.channels) { dst[dense + ${offset}u * params.plane] = value.${lane}; }`,
  );
  return `@group(0) @binding(0) var<storage, read> src: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
${paramsWgsl(2, FIELDS)}
${elementwiseMain(
  items,
  `${PLACE}
      let value = src[packed];
      ${stores.join('\n      ')}`,
)}`;
}
