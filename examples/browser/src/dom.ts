/** Elements of the page, found by id and made from text: names come from model files, so none is markup. */

/** @throws Error for an element that index.html lacks */
export function byId<Type extends Element = HTMLElement>(id: string, type?: new () => Type): Type {
  const found = document.getElementById(id);
  if (found === null || (type !== undefined && !(found instanceof type))) {
    throw new Error(`the page has no element "${id}" of that kind`);
  }
  return found as unknown as Type;
}

/** An element with a class and children; strings become text. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}
