/** The camera as a stream of pictures, and how many of them a second are shown. */
import { InvalidInputError } from '@onegpu/core';
import { byId } from './dom.ts';
import type { ImageSource } from './prepare-image.ts';

const REASONS: Readonly<Record<string, string>> = {
  NotFoundError: 'none was found',
  NotAllowedError: 'the page may not use it',
  NotReadableError: 'another program uses it',
  OverconstrainedError: 'none was found',
};

export class Camera {
  readonly #video = byId('video', HTMLVideoElement);
  #stream: MediaStream | undefined;

  get running(): boolean {
    return this.#stream !== undefined;
  }

  /** @throws InvalidInputError without a camera, or without leave to use it */
  async start(): Promise<void> {
    try {
      if (navigator.mediaDevices === undefined)
        throw new Error('pages use it over https or on localhost only');
      this.#stream = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: 'environment', width: { ideal: 1280 } },
      });
      this.#video.srcObject = this.#stream;
      await this.#video.play();
    } catch (cause) {
      this.stop();
      const { name, message } = cause as Error;
      const details = { subject: 'camera', remedy: 'Open a picture instead.' };
      throw new InvalidInputError(REASONS[name] ?? `it gives no picture, ${message}`, details, { cause });
    }
  }

  stop(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = undefined;
    this.#video.srcObject = null;
  }

  /** The frame of now; the caller closes its bitmap. */
  async frame(): Promise<ImageSource & { readonly image: ImageBitmap }> {
    const image = await createImageBitmap(this.#video);
    return { image, width: image.width, height: image.height };
  }
}

/** Frames a second over the last ones. */
export class FrameRate {
  readonly #times: number[] = [];

  /** Counts a frame shown at `now`, in milliseconds. @returns frames a second; undefined for the first */
  count(now: number): number | undefined {
    this.#times.push(now);
    if (this.#times.length > FRAMES) this.#times.shift();
    const first = this.#times[0] ?? now;
    return now > first ? ((this.#times.length - 1) * 1000) / (now - first) : undefined;
  }
}

const FRAMES = 30;
