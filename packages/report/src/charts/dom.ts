/** Elements made from text, never from markup: names of nodes come from model files. */

export interface ElementOptions {
  readonly class?: string;
  readonly title?: string;
}

/** An element with its children; strings become text. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  options: ElementOptions = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (options.class !== undefined) made.className = options.class;
  if (options.title !== undefined) made.title = options.title;
  made.append(...children);
  return made;
}
