/** Pictures in memory. */

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** 8-bit RGB pixels, row-major, three bytes a pixel. */
export interface Picture extends PictureSize {
  readonly data: Uint8Array;
}
