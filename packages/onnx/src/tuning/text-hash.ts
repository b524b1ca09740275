/**
 * A hash of texts that needs no platform: two FNV-1a sums of 32 bits over their UTF-16 units, started apart. It tells a
 * changed kernel from the one before it; it is no protection against people who want two texts to be equal.
 * http://www.isthe.com/chongo/tech/comp/fnv/
 */

const PRIME = 0x01000193;

export class TextHash {
  #low = 0x811c9dc5;
  #high = 0x9e3779b9;

  /** Adds a text; its end is told from the begin of the next one. */
  add(text: string): void {
    let low = this.#low;
    let high = this.#high;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      low = Math.imul(low ^ unit, PRIME);
      high = Math.imul(high ^ unit ^ (low >>> 16), PRIME);
    }
    this.#low = Math.imul(low ^ text.length, PRIME);
    this.#high = Math.imul(high ^ ~text.length, PRIME);
  }

  /** 16 hexadecimal digits. */
  digest(): string {
    return [this.#high, this.#low].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}

export function hashOf(texts: readonly string[]): string {
  const hash = new TextHash();
  for (const text of texts) hash.add(text);
  return hash.digest();
}
