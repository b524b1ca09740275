/** Colours for numbers from 0 to 1: even steps of each map, between which shaders interpolate. */

export type Colormap = 'gray' | 'viridis' | 'magma' | 'inferno';

/** RRGGBB from 0 to 1. The last three are those of matplotlib, which has them in the public domain (CC0). */
export const COLORMAPS: Readonly<Record<Colormap, readonly number[]>> = {
  gray: [0x000000, 0xffffff],
  viridis: [
    0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26,
    0xfde725,
  ],
  magma: [
    0x000004, 0x140e36, 0x3b0f70, 0x641a80, 0x8c2981, 0xb73779, 0xde4968, 0xf7705c, 0xfe9f6d, 0xfecf92,
    0xfcfdbf,
  ],
  inferno: [
    0x000004, 0x160b39, 0x420a68, 0x6a176e, 0x932667, 0xbc3754, 0xdd513a, 0xf37819, 0xfca50a, 0xf6d746,
    0xfcffa4,
  ],
};

/** Most steps of a map. */
export const MOST_STEPS = 11;

/** Red, green, blue and 1 of each step, from 0 to 1. */
export function colorSteps(name: Colormap): number[] {
  return COLORMAPS[name].flatMap((color) =>
    [16, 8, 0].map((shift) => ((color >> shift) & 255) / 255).concat(1),
  );
}
