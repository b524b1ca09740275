/**
 * Pictures of bytes to the planes of a network's input, in one dispatch: resampled, reordered, normalised.
 *
 *   src [picture, y, x] of RGBA bytes -> dst [picture, channel, y, x]
 *   dst[n, c, y, x] = scale_c * (sum over rows and columns of weight_y * weight_x * level_c) / weights + offset_c
 *
 * Weights are integers (`problem.ts`). Levels are bytes less their middle, so that sums cancel as their terms do where the
 * mean is subtracted. A colour that is not resampled comes out of a table made in float64.
 */
import { IMAGE_TILE } from './problem.ts';

/** Terms of one block of a sum. */
const BLOCK = 256;

export function resampleWgsl(): string {
  return `
struct Picture {
  src: vec2i,     // its extents in the layer
  origin: vec2i,  // where it begins in dst
  extent: vec2i,  // its extents there
  reach: vec2i,   // the weight of a tap at distance 0
}
struct Params {
  width: u32,
  height: u32,
  channels: u32,  // 3, 1
  order: u32,     // 0 rgb, 1 bgr, 2 gray
  scale: vec4f,
  offset: vec4f,              // what the middle is stored as
  padding: vec4f,             // as it is stored
  table: array<vec4f, 256>,   // a byte of each channel, as it is stored
  pictures: array<Picture>,
}
@group(0) @binding(0) var src: texture_2d_array<f32>;
@group(0) @binding(1) var<storage, read> params: Params;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;

// In the order of dst.
fn bytes_of(at: vec2i, layer: i32) -> vec3f {
  let bytes = round(textureLoad(src, at, layer, 0).rgb * 255.0);
  return select(bytes, bytes.bgr, params.order == 1u);
}

// Luma in thousandths.
fn level_of(at: vec2i, layer: i32) -> vec3f {
  let levels = bytes_of(at, layer) - 127.5;
  if (params.order == 2u) { return vec3f(dot(levels, vec3f(299.0, 587.0, 114.0))); }
  return levels;
}

// The taps of positive weight, the last one exclusive; of a centre in units of 1 / (2 extent).
fn taps_of(centre: i32, reach: i32, extent: i32, pixels: i32) -> vec2i {
  let low = centre - reach - extent;
  let first = select(low / (2 * extent) + 1, 0, low < 0);
  return vec2i(first, min((centre + reach + extent - 1) / (2 * extent), pixels));
}

fn weight_of(tap: i32, centre: i32, reach: i32, extent: i32) -> i32 {
  return reach - abs((2 * tap + 1) * extent - centre);
}

fn sum_of_weights(taps: vec2i, centre: i32, reach: i32, extent: i32) -> f32 {
  var sum = 0;
  for (var tap = taps.x; tap < taps.y; tap++) { sum += weight_of(tap, centre, reach, extent); }
  return f32(sum);
}

fn row_of(picture: Picture, taps: vec2i, centre: i32, y: i32, layer: i32) -> vec3f {
  var sum = vec3f();
  for (var first = taps.x; first < taps.y; first += ${BLOCK}) {
    var part = vec3f();
    for (var x = first; x < min(first + ${BLOCK}, taps.y); x++) {
      let weight = f32(weight_of(x, centre, picture.reach.x, picture.extent.x));
      part = fma(vec3f(weight), level_of(vec2i(x, y), layer), part);
    }
    sum += part;
  }
  return sum;
}

fn resampled(picture: Picture, at: vec2i, layer: i32) -> vec3f {
  let centre = (2 * at + 1) * picture.src;
  let columns = taps_of(centre.x, picture.reach.x, picture.extent.x, picture.src.x);
  let rows = taps_of(centre.y, picture.reach.y, picture.extent.y, picture.src.y);
  let weights = sum_of_weights(columns, centre.x, picture.reach.x, picture.extent.x)
    * sum_of_weights(rows, centre.y, picture.reach.y, picture.extent.y);
  var sum = vec3f();
  for (var first = rows.x; first < rows.y; first += ${BLOCK}) {
    var part = vec3f();
    for (var y = first; y < min(first + ${BLOCK}, rows.y); y++) {
      let weight = f32(weight_of(y, centre.y, picture.reach.y, picture.extent.y));
      part = fma(vec3f(weight), row_of(picture, columns, centre.x, y, layer), part);
    }
    sum += part;
  }
  return sum / weights;
}

fn stored(picture: Picture, at: vec2i, layer: i32) -> vec3f {
  if (any(picture.src != picture.extent)) {
    return fma(resampled(picture, at, layer), params.scale.xyz, params.offset.xyz);
  }
  if (params.order == 2u) { return fma(level_of(at, layer), params.scale.xyz, params.offset.xyz); }
  let index = vec3u(bytes_of(at, layer));
  return vec3f(params.table[index.x].x, params.table[index.y].y, params.table[index.z].z);
}

@compute @workgroup_size(${IMAGE_TILE}, ${IMAGE_TILE})
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.width || id.y >= params.height) { return; }
  let picture = params.pictures[id.z];
  let at = vec2i(id.xy) - picture.origin;
  var value = params.padding.xyz;
  if (all(at >= vec2i(0)) && all(at < picture.extent)) { value = stored(picture, at, i32(id.z)); }
  let plane = params.width * params.height;
  let first = id.z * params.channels * plane + id.y * params.width + id.x;
  dst[first] = value.x;
  if (params.channels == 3u) {
    dst[first + plane] = value.y;
    dst[first + 2u * plane] = value.z;
  }
}
`;
}
