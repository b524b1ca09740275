/**
 * What becomes of options of onnxruntime's: honoured, named in a warning where results are the same without, or refused.
 * None is passed over in silence, an unknown one is refused.
 */
import { InvalidInputError, warnOfCache } from '@onegpu/core';
import { env } from 'onnxruntime-common';
import { describe } from '../describe.ts';

/** Name of the warning for options without effect. */
export const OPTION_WARNING = 'OnnxRuntimeOptionWarning';

export type OptionRule =
  | { readonly kind: 'honoured' }
  /** `usual`: values that ask for what happens anyway. */
  | { readonly kind: 'warned'; readonly usual: readonly unknown[]; readonly instead: string }
  | { readonly kind: 'refused'; readonly usual: readonly unknown[]; readonly remedy: string };

export type OptionRules = Readonly<Record<string, OptionRule>>;

export const HONOURED: OptionRule = { kind: 'honoured' };

export function warned(instead: string, ...usual: readonly unknown[]): OptionRule {
  return { kind: 'warned', usual, instead };
}

export function refused(remedy: string, ...usual: readonly unknown[]): OptionRule {
  return { kind: 'refused', usual, remedy };
}

export interface RuledOptions {
  /** For messages: `SessionOptions`. */
  readonly subject: string;
  readonly rules: OptionRules;
}

/** Puts what has no effect into `warnings`. @throws InvalidInputError for what is refused or unknown */
export function applyRules(options: object, { subject, rules }: RuledOptions, warnings: string[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      const expected = Object.keys(rules).join(', ');
      throw new InvalidInputError('there is no such option', { subject, field: name, expected });
    }
    if (rule.kind === 'honoured' || isUsual(value, rule.usual)) continue;
    if (rule.kind === 'warned') {
      warnings.push(`${subject}.${name}: ${rule.instead}`);
      continue;
    }
    const { remedy } = rule;
    throw new InvalidInputError('the option is not supported', {
      subject,
      field: name,
      got: describe(value),
      remedy,
    });
  }
}

/** An empty object or list asks for nothing. */
function isUsual(value: unknown, usual: readonly unknown[]): boolean {
  if (usual.includes(value)) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** @throws InvalidInputError for a value that is none of those known */
export function oneOf<T extends string>(
  value: unknown,
  known: readonly T[],
  { subject, field }: { readonly subject: string; readonly field: string },
): T {
  const found = known.find((entry) => entry === value);
  if (found !== undefined) return found;
  const details = { subject, field, got: describe(value), expected: known.join(', ') };
  throw new InvalidInputError('there is no such value', details);
}

/** Severity of a warning, as onnxruntime counts: 0 verbose, 1 info, 2 warning, 3 error, 4 fatal. */
const WARNING = 2;
const LEVELS = ['verbose', 'info', 'warning', 'error', 'fatal'];

/** One warning for all of a session's options, unless the session or `env.logLevel` wants errors only. */
export function warnAbout(warnings: readonly string[], severity: number | undefined): void {
  const least = severity ?? LEVELS.indexOf(env.logLevel ?? 'warning');
  if (warnings.length === 0 || least > WARNING) return;
  warnOfCache(OPTION_WARNING, `without effect: ${warnings.join('; ')}`);
}
