/** The function libraries of Kubernetes' CEL environment. */
import type { Overload } from '../functions.ts';
import { conversions } from './conversions.ts';
import { operators } from './operators.ts';
import { optionals } from './optionals.ts';
import { standardStrings } from './standard-strings.ts';
import { times } from './times.ts';

export const KUBERNETES: readonly (readonly Overload[])[] = [operators, conversions, times, standardStrings, optionals];
