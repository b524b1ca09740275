/**
 * A tensor [1, 1 or 3, height, width] on a canvas of any size, the nearest element a pixel: one channel as the colours of a
 * map, three as red, green and blue.
 */
import { MOST_STEPS } from './colormap.ts';

export function drawWgsl(): string {
  return `
struct Params {
  width: u32,
  height: u32,
  channels: u32,  // 3, 1
  steps: u32,     // of the colour map, 2 or more
  canvas: vec2f,  // pixels
  scale: f32,     // of an element, onto 0 to 1
  offset: f32,
  colors: array<vec4f, ${MOST_STEPS}>,
}
@group(0) @binding(0) var<storage, read> src: array<f32>;  // [channel, y, x]
@group(0) @binding(1) var<uniform> params: Params;

fn level_of(index: u32) -> f32 {
  return clamp(fma(src[index], params.scale, params.offset), 0.0, 1.0);
}

fn mapped(level: f32) -> vec4f {
  let place = level * f32(params.steps - 1u);
  let step = min(u32(place), params.steps - 2u);
  return mix(params.colors[step], params.colors[step + 1u], place - f32(step));
}

// One triangle over all of the canvas.
@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(f32(index % 2u) * 4.0 - 1.0, f32(index / 2u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn paint(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let size = vec2u(params.width, params.height);
  let pixel = min(vec2u(at.xy * vec2f(size) / params.canvas), size - 1u);
  let index = pixel.y * params.width + pixel.x;
  if (params.channels == 1u) { return mapped(level_of(index)); }
  let plane = params.width * params.height;
  return vec4f(level_of(index), level_of(index + plane), level_of(index + 2u * plane), 1.0);
}
`;
}
